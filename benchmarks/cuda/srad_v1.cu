// Speckle-reducing anisotropic diffusion of an ultrasound image, version 1: the image is taken out
// of its logarithm, and each step sums it and its squares by a tree of launches, computes how
// strongly each pixel diffuses, and diffuses; at last it is compressed again. Stands for Rodinia's
// srad_v1 of the gpu-sharing paper: compress, extract, prepare, reduce, srad, srad2 are SRAD1 to
// SRAD6, in the order of their names.
// Usage: srad_v1 [ROWS] [COLUMNS] [STEPS] [SEED]
#include <cstdio>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock = 512;
constexpr float kLambda = 0.5f;  // step of the diffusion

// The image is stored by columns. The rows above and below and the columns left and right of each
// are read from tables, in which the edges are their own neighbours.
struct Neighbours {
  const int *north, *south, *west, *east;
};

// Five values that srad leaves for srad2, a pixel each.
struct Diffusion {
  float *north, *south, *west, *east, *coefficient;
};

__global__ void extract(float* image, int pixels) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < pixels) image[i] = expf(image[i] / 255);
}

__global__ void compress(float* image, int pixels) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < pixels) image[i] = logf(image[i]) * 255;
}

__global__ void prepare(const float* image, float* sums, float* squares, int pixels) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= pixels) return;
  sums[i] = image[i];
  squares[i] = image[i] * image[i];
}

// Sums of `count` values that lie `stride` apart: block b leaves the sum of its 512 in the place of
// its first, so that the next launch finds its values 512 times as far apart.
__global__ void reduce(float* sums, float* squares, int count, int stride) {
  __shared__ float sum[kBlock], square[kBlock];
  int tid = threadIdx.x, i = blockIdx.x * kBlock + tid;
  sum[tid] = i < count ? sums[i * stride] : 0.0f;
  square[tid] = i < count ? squares[i * stride] : 0.0f;
  for (int half = kBlock / 2; half > 0; half /= 2) {
    __syncthreads();
    if (tid < half) {
      sum[tid] += sum[tid + half];
      square[tid] += square[tid + half];
    }
  }
  if (tid > 0) return;
  sums[i * stride] = sum[0];
  squares[i * stride] = square[0];
}

// The coefficient of diffusion: near 1 where the image varies as speckle does, near 0 at edges.
__global__ void srad(const float* image, Neighbours at, Diffusion out, float speckle, int rows,
                     int pixels) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= pixels) return;
  int row = i % rows, column = i / rows;
  float here = image[i];
  float north = image[at.north[row] + column * rows] - here;
  float south = image[at.south[row] + column * rows] - here;
  float west = image[row + at.west[column] * rows] - here;
  float east = image[row + at.east[column] * rows] - here;
  float gradient = (north * north + south * south + west * west + east * east) / (here * here);
  float laplacian = (north + south + west + east) / here;
  float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  float denominator = 1 + 0.25f * laplacian;
  float variation = numerator / (denominator * denominator);
  float excess = (variation - speckle) / (speckle * (1 + speckle));
  out.north[i] = north;
  out.south[i] = south;
  out.west[i] = west;
  out.east[i] = east;
  out.coefficient[i] = fminf(fmaxf(1 / (1 + excess), 0), 1);
}

__global__ void srad2(float* image, Neighbours at, Diffusion in, int rows, int pixels) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= pixels) return;
  int row = i % rows, column = i / rows;
  float here = in.coefficient[i];
  float south = in.coefficient[at.south[row] + column * rows];
  float east = in.coefficient[row + at.east[column] * rows];
  float divergence =
      here * in.north[i] + south * in.south[i] + here * in.west[i] + east * in.east[i];
  image[i] += 0.25f * kLambda * divergence;
}

// How much the pixels vary as speckle does: variance over squared mean.
template <typename Real>
Real speckle_of(Real sum, Real squares, int pixels) {
  const Real mean = sum / pixels;
  return (squares / pixels - mean * mean) / (mean * mean);
}

// The same on the host, in double: each pixel straight from its neighbours, into a second image.
std::vector<double> diffuse_on_host(const std::vector<float>& start, int rows, int columns,
                                    int steps) {
  const int pixels = rows * columns;
  std::vector<double> image(start.begin(), start.end()), coefficient(pixels);
  for (double& value : image) value = std::exp(value / 255);
  const auto index = [&](int row, int column) {
    return std::clamp(row, 0, rows - 1) + std::clamp(column, 0, columns - 1) * rows;
  };
  for (int step = 0; step < steps; ++step) {
    double sum = 0, squares = 0;
    for (double value : image) {
      sum += value;
      squares += value * value;
    }
    const double speckle = speckle_of(sum, squares, pixels);
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row) {
        const double here = image[index(row, column)];
        double gradient = 0, laplacian = 0;
        for (const int neighbour : {index(row - 1, column), index(row + 1, column),
                                    index(row, column - 1), index(row, column + 1)}) {
          gradient += std::pow((image[neighbour] - here) / here, 2);
          laplacian += (image[neighbour] - here) / here;
        }
        const double variation =
            (gradient / 2 - laplacian * laplacian / 16) / std::pow(1 + laplacian / 4, 2);
        const double excess = (variation - speckle) / (speckle * (1 + speckle));
        coefficient[index(row, column)] = std::clamp(1 / (1 + excess), 0.0, 1.0);
      }
    const std::vector<double> before = image;
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row) {
        const int here = index(row, column), south = index(row + 1, column),
                  east = index(row, column + 1);
        const double inward = before[index(row - 1, column)] + before[index(row, column - 1)];
        image[here] += kLambda / 4 *
                       (coefficient[here] * (inward - 2 * before[here]) +
                        coefficient[south] * (before[south] - before[here]) +
                        coefficient[east] * (before[east] - before[here]));
      }
  }
  for (double& value : image) value = std::log(value) * 255;
  return image;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "srad_v1 [ROWS] [COLUMNS] [STEPS] [SEED]");
  const int rows = arguments.number("ROWS", 502, 16, 1 << 13);
  const int columns = arguments.number("COLUMNS", 458, 16, 1 << 13);
  const int steps = arguments.number("STEPS", 1, 0, 100);
  Random random(arguments.seed());
  arguments.end();
  const int pixels = rows * columns;

  // A bright patch on a dark ground, both with speckle.
  std::vector<float> start(pixels);
  for (int i = 0; i < pixels; ++i) {
    const int row = i % rows, column = i / rows;
    const bool patch = row > rows / 4 && row < rows / 2 && column > columns / 3;
    start[i] = (patch ? 160.0f : 60.0f) + random.uniform(-40, 40);
  }
  std::vector<int> north, south, west, east;
  for (int row = 0; row < rows; ++row) {
    north.push_back(std::max(row - 1, 0));
    south.push_back(std::min(row + 1, rows - 1));
  }
  for (int column = 0; column < columns; ++column) {
    west.push_back(std::max(column - 1, 0));
    east.push_back(std::min(column + 1, columns - 1));
  }

  DeviceArray<int> norths(north), souths(south), wests(west), easts(east);
  DeviceArray<float> image(start), sums(pixels), squares(pixels);
  DeviceArray<float> to_north(pixels), to_south(pixels), to_west(pixels), to_east(pixels);
  DeviceArray<float> coefficient(pixels);
  const Neighbours at{norths, souths, wests, easts};
  const Diffusion diffusion{to_north, to_south, to_west, to_east, coefficient};
  const int blocks = blocks_for(pixels, kBlock);
  extract<<<blocks, kBlock>>>(image, pixels);
  check(cudaGetLastError());
  for (int step = 0; step < steps; ++step) {
    prepare<<<blocks, kBlock>>>(image, sums, squares, pixels);
    check(cudaGetLastError());
    for (int count = pixels, stride = 1; count > 1;
         count = blocks_for(count, kBlock), stride *= kBlock) {
      reduce<<<blocks_for(count, kBlock), kBlock>>>(sums, squares, count, stride);
      check(cudaGetLastError());
    }
    float sum, square;
    check(cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&square, squares, sizeof square, cudaMemcpyDeviceToHost));
    srad<<<blocks, kBlock>>>(image, at, diffusion, speckle_of(sum, square, pixels), rows, pixels);
    check(cudaGetLastError());
    srad2<<<blocks, kBlock>>>(image, at, diffusion, rows, pixels);
    check(cudaGetLastError());
  }
  compress<<<blocks, kBlock>>>(image, pixels);
  check(cudaGetLastError());

  // A pixel is 255 times a logarithm, so it errs by 255 times the relative error beneath: a few
  // roundings, and the error of the speckle, a difference of nearly equal sums. Where diffusion has
  // left hardly any speckle that error is large, hence the least size and the most steps.
  const double tolerance = 255 * 32 * kFloatRounding;
  const std::vector<float> result = image.to_host();
  char what[80];
  std::snprintf(what, sizeof what, "srad_v1: %d x %d, %d steps, first pixel %.7g", rows, columns,
                steps, result[0]);
  return report(what, compare(result, diffuse_on_host(start, rows, columns, steps), tolerance));
}
