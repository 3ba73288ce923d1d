// Speckle-reducing anisotropic diffusion of an ultrasound image. Each iteration has two kernels
// with 16×16 tiles and their halo in shared memory: the first computes the differences to the four
// neighbours and from them a diffusion coefficient, the second diffuses by the coefficients of the
// cell and of its lower and right neighbour. Stands for `srad` (Rodinia's version 2) of the
// dMT-CGRA paper. Usage: srad [ROWS] [COLUMNS] [ITERATIONS] [SEED], ROWS and COLUMNS multiples of
// 16
#include <algorithm>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kTile = 16;
constexpr float kLambda = 0.5f;   // how far an iteration goes
constexpr int kSampleSize = 128;  // of the upper left corner, whose speckle is the yardstick

// `noise` is the variance of the sample over its mean squared. Outside the image lie copies of its
// edge.
__global__ void srad_coefficients(const float* image, float* north, float* south, float* west,
                                  float* east, float* coefficient, int rows, int columns,
                                  float noise) {
  __shared__ float tile[kTile + 2][kTile + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  int i = y * columns + x;
  tile[ty][tx] = image[i];
  if (ty == 1) tile[0][tx] = image[max(y - 1, 0) * columns + x];
  if (ty == kTile) tile[kTile + 1][tx] = image[min(y + 1, rows - 1) * columns + x];
  if (tx == 1) tile[ty][0] = image[y * columns + max(x - 1, 0)];
  if (tx == kTile) tile[ty][kTile + 1] = image[y * columns + min(x + 1, columns - 1)];
  __syncthreads();

  float here = tile[ty][tx];
  float n = tile[ty - 1][tx] - here, s = tile[ty + 1][tx] - here;
  float w = tile[ty][tx - 1] - here, e = tile[ty][tx + 1] - here;
  float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  float laplacian = (n + s + w + e) / here;
  float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  float denominator = 1.0f + 0.25f * laplacian;
  float variation = numerator / (denominator * denominator);
  float c = 1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise)));
  north[i] = n;
  south[i] = s;
  west[i] = w;
  east[i] = e;
  coefficient[i] = fminf(fmaxf(c, 0.0f), 1.0f);
}

__global__ void srad_diffuse(float* image, const float* north, const float* south,
                             const float* west, const float* east, const float* coefficient,
                             int rows, int columns) {
  __shared__ float tile[kTile + 1][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  int i = y * columns + x;
  tile[ty][tx] = coefficient[i];
  if (ty == kTile - 1) tile[kTile][tx] = coefficient[min(y + 1, rows - 1) * columns + x];
  if (tx == kTile - 1) tile[ty][kTile] = coefficient[y * columns + min(x + 1, columns - 1)];
  __syncthreads();
  float here = tile[ty][tx];
  float divergence =
      here * (north[i] + west[i]) + tile[ty + 1][tx] * south[i] + tile[ty][tx + 1] * east[i];
  image[i] += 0.25f * kLambda * divergence;
}

// The variance of the sample over its mean squared.
template <typename T>
double noise_of(const std::vector<T>& image, int rows, int columns) {
  const int height = std::min(rows, kSampleSize), width = std::min(columns, kSampleSize);
  double sum = 0, squares = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double value = image[static_cast<size_t>(y) * columns + x];
      sum += value;
      squares += value * value;
    }
  }
  const double mean = sum / (height * width);
  return (squares / (height * width) - mean * mean) / (mean * mean);
}

// One iteration in double precision, over whole arrays.
void diffuse_on_host(std::vector<double>& image, int rows, int columns) {
  const auto index = [&](int x, int y) {
    return static_cast<size_t>(std::clamp(y, 0, rows - 1)) * columns +
           std::clamp(x, 0, columns - 1);
  };
  const double noise = noise_of(image, rows, columns);
  std::vector<double> coefficient(image.size()), old = image;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const double here = old[index(x, y)];
      double squares = 0, sum = 0;
      for (size_t at : {index(x, y - 1), index(x, y + 1), index(x - 1, y), index(x + 1, y)}) {
        squares += (old[at] / here - 1) * (old[at] / here - 1);
        sum += old[at] / here - 1;
      }
      const double variation = (squares / 2 - sum * sum / 16) / ((1 + sum / 4) * (1 + sum / 4));
      const double c = 1 / (1 + (variation - noise) / (noise * (1 + noise)));
      coefficient[index(x, y)] = std::clamp(c, 0.0, 1.0);
    }
  }
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const double here = old[index(x, y)], c = coefficient[index(x, y)];
      image[index(x, y)] += kLambda / 4 *
                            (c * (old[index(x, y - 1)] - here) + c * (old[index(x - 1, y)] - here) +
                             coefficient[index(x, y + 1)] * (old[index(x, y + 1)] - here) +
                             coefficient[index(x + 1, y)] * (old[index(x + 1, y)] - here));
    }
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "srad [ROWS] [COLUMNS] [ITERATIONS] [SEED]");
  const int rows = arguments.multiple_of(kTile, "ROWS", 256, kTile, 1 << 14);
  const int columns = arguments.multiple_of(kTile, "COLUMNS", 256, kTile, 1 << 14);
  const int iterations = arguments.number("ITERATIONS", 2, 1, 1000);
  Random random(arguments.seed());
  arguments.end();
  const size_t count = static_cast<size_t>(rows) * columns;
  std::vector<float> start = random.floats(count, 0, 1);
  for (float& pixel : start) pixel = std::exp(pixel);  // the logarithm is what a picture stores

  DeviceArray<float> image(start), coefficient(count);
  DeviceArray<float> north(count), south(count), west(count), east(count);
  std::vector<double> expected(start.begin(), start.end());
  const dim3 grid(columns / kTile, rows / kTile), block(kTile, kTile);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const auto noise = static_cast<float>(noise_of(image.to_host(), rows, columns));
    srad_coefficients<<<grid, block>>>(image, north, south, west, east, coefficient, rows, columns,
                                       noise);
    srad_diffuse<<<grid, block>>>(image, north, south, west, east, coefficient, rows, columns);
    check(cudaGetLastError());
    diffuse_on_host(expected, rows, columns);
  }

  // An iteration errs by some thirty roundings of a coefficient of at most 1, which weighs an
  // eighth of four differences below 2, so by 2e-6; and it hardly magnifies what it meets, for it
  // smooths.
  const Comparison result = compare(image.to_host(), expected, 32 * kFloatRounding * iterations);
  return report(result, "srad: %dx%d, %d iterations", rows, columns, iterations);
}
