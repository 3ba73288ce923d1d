// K-means clustering: one kernel turns the points' rows of features into columns, a second finds
// each point's nearest centre; the host moves the centres to the means and repeats. Stands for
// Rodinia's kmeans of the gpu-sharing paper: nearest_centre is KM1 (compute-bound), invert_mapping
// KM2 (strided, memory-bound).
// Usage: kmeans [POINTS] [FEATURES] [CLUSTERS] [ROUNDS] [SEED]
#include <cstdio>
#include <numeric>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock = 256;
constexpr int kMostCentreFeatures = 4096;  // clusters times features

__constant__ float centre_features[kMostCentreFeatures];  // by cluster

__global__ void invert_mapping(const float* by_point, float* by_feature, int points, int features) {
  int point = blockIdx.x * kBlock + threadIdx.x;
  if (point >= points) return;
  for (int f = 0; f < features; ++f)
    by_feature[f * points + point] = by_point[point * features + f];
}

__global__ void nearest_centre(const float* by_feature, int* cluster, int points, int features,
                               int clusters) {
  int point = blockIdx.x * kBlock + threadIdx.x;
  if (point >= points) return;
  int nearest = 0;
  float least = 3.402823466e38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0;
    for (int f = 0; f < features; ++f) {
      float difference = by_feature[f * points + point] - centre_features[c * features + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  cluster[point] = nearest;
}

// The means of the clusters; one that has lost all its points stays where it is.
void move_centres(const std::vector<float>& points, int features, const std::vector<int>& cluster,
                  std::vector<float>& centres) {
  std::vector<double> sums(centres.size());
  std::vector<int> sizes(centres.size() / features);
  for (std::size_t p = 0; p < cluster.size(); ++p) {
    ++sizes[cluster[p]];
    for (int f = 0; f < features; ++f) sums[cluster[p] * features + f] += points[p * features + f];
  }
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const int size = sizes[i / features];
    if (size > 0) centres[i] = static_cast<float>(sums[i] / size);
  }
}

double distance_on_host(const float* point, const float* centre, int features) {
  double sum = 0;
  for (int f = 0; f < features; ++f) sum += std::pow(double{point[f]} - double{centre[f]}, 2);
  return sum;
}

// The distance from each point to the centre that the device chose must be the least of all.
// Two centres may be equally near as far as floats can tell: each difference rounds once, its
// square once, and the sum `features` times.
Comparison check_choice(const std::vector<float>& points, int features,
                        const std::vector<int>& cluster, const std::vector<float>& centres,
                        double& total) {
  const int clusters = static_cast<int>(centres.size()) / features;
  std::vector<double> chosen, least;
  for (std::size_t p = 0; p < cluster.size(); ++p) {
    const double kNone = std::numeric_limits<double>::infinity();
    chosen.push_back(kNone);  // if the choice is no cluster at all
    least.push_back(kNone);
    for (int c = 0; c < clusters; ++c) {
      const double to_centre =
          distance_on_host(&points[p * features], &centres[c * features], features);
      if (c == cluster[p]) chosen.back() = to_centre;
      least.back() = std::min(least.back(), to_centre);
    }
  }
  total = std::accumulate(chosen.begin(), chosen.end(), 0.0);
  return compare(chosen, least, 0, 2 * (features + 3) * kFloatRounding);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "kmeans [POINTS] [FEATURES] [CLUSTERS] [ROUNDS] [SEED]");
  const int points = arguments.number("POINTS", 16384, 1, 1 << 22);
  const int features = arguments.number("FEATURES", 34, 1, 512);
  const int clusters = arguments.number("CLUSTERS", 5, 1, 512);
  const int rounds = arguments.number("ROUNDS", 3, 1, 1000);
  Random random(arguments.seed());
  arguments.end();
  if (clusters > points) arguments.reject("CLUSTERS must not exceed POINTS");
  if (clusters * features > kMostCentreFeatures)
    arguments.reject("CLUSTERS times FEATURES must not exceed %d", kMostCentreFeatures);
  if (static_cast<long>(points) * features > 1 << 28)
    arguments.reject("POINTS times FEATURES must not exceed %d", 1 << 28);

  // Clouds around as many places as there are clusters. The first points are the first centres.
  const std::vector<float> places = random.floats(clusters * features, -10, 10);
  std::vector<float> by_point;
  for (int p = 0; p < points; ++p) {
    const int place = random.below(clusters);
    for (int f = 0; f < features; ++f)
      by_point.push_back(places[place * features + f] + random.uniform(-8, 8));
  }
  std::vector<float> centres(by_point.begin(), by_point.begin() + clusters * features);

  DeviceArray<float> rows(by_point), columns(by_point.size());
  DeviceArray<int> cluster(points);
  const int blocks = blocks_for(points, kBlock);
  invert_mapping<<<blocks, kBlock>>>(rows, columns, points, features);
  check(cudaGetLastError());
  Comparison all_rounds;
  double total = 0;  // squared distances from the centres, which each round makes smaller
  for (int round = 0; round < rounds && all_rounds.wrong == 0; ++round) {
    check(cudaMemcpyToSymbol(centre_features, centres.data(), centres.size() * sizeof(float)));
    nearest_centre<<<blocks, kBlock>>>(columns, cluster, points, features, clusters);
    check(cudaGetLastError());
    const std::vector<int> choice = cluster.to_host();
    all_rounds = all_rounds + check_choice(by_point, features, choice, centres, total);
    if (all_rounds.wrong == 0) move_centres(by_point, features, choice, centres);
  }

  char what[120];
  std::snprintf(what, sizeof what,
                "kmeans: %d points, %d features, %d clusters, %d rounds, sum of squares %.7g",
                points, features, clusters, rounds, total);
  return report(what, all_rounds);
}
