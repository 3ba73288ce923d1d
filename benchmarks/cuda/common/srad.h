// Speckle-reducing anisotropic diffusion: the program around the two kernels, for their form with
// shared memory and the one between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_SRAD_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_SRAD_H

#include <algorithm>

#include "benchmark.h"

namespace benchmark {

constexpr int kSradTile = 16;
constexpr float kSradLambda = 0.5f;  // how far an iteration goes
constexpr int kSradSample = 128;     // of the upper left corner, whose speckle is the yardstick

// The coefficient before it is limited to 0 … 1, with the arithmetic of Rodinia's kernel, whose
// literals are double.
template <typename Literal>
__device__ __forceinline__ float srad_coefficient(float here, float n, float s, float w, float e,
                                                  float noise) {
  const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  const float laplacian = (n + s + w + e) / here;
  const float numerator =
      Literal(0.5) * gradient - Literal(1.0) / Literal(16.0) * (laplacian * laplacian);
  const float denominator = 1 + Literal(0.25) * laplacian;
  const float variation = numerator / (denominator * denominator);
  const float excess = (variation - noise) / (noise * (1 + noise));
  return Literal(1.0) / (Literal(1.0) + excess);
}

// The variance of the sample over its mean squared.
template <typename T>
double srad_noise(const std::vector<T>& image, int rows, int columns) {
  const int height = std::min(rows, kSradSample), width = std::min(columns, kSradSample);
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
inline void srad_on_host(std::vector<double>& image, int rows, int columns) {
  const auto index = [&](int x, int y) {
    return static_cast<size_t>(std::clamp(y, 0, rows - 1)) * columns +
           std::clamp(x, 0, columns - 1);
  };
  const double noise = srad_noise(image, rows, columns);
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
      image[index(x, y)] += kSradLambda / 4 *
                            (c * (old[index(x, y - 1)] - here) + c * (old[index(x - 1, y)] - here) +
                             coefficient[index(x, y + 1)] * (old[index(x, y + 1)] - here) +
                             coefficient[index(x + 1, y)] * (old[index(x + 1, y)] - here));
    }
  }
}

// coefficients(image, north, south, west, east, coefficient, rows, columns, noise) and
// diffuse(image, north, south, west, east, coefficient, rows, columns), a thread for each pixel
template <typename Coefficients, typename Diffuse>
int run_srad(int argc, char** argv, const char* name, Coefficients coefficients, Diffuse diffuse) {
  Arguments arguments(argc, argv, name, "[ROWS] [COLUMNS] [ITERATIONS] [SEED]");
  const int rows = arguments.multiple_of(kSradTile, "ROWS", 256, kSradTile, 1 << 14);
  const int columns = arguments.multiple_of(kSradTile, "COLUMNS", 256, kSradTile, 1 << 14);
  const int iterations = arguments.number("ITERATIONS", 2, 1, 1000);
  Random random(arguments.seed());
  arguments.end();
  const size_t count = static_cast<size_t>(rows) * columns;
  std::vector<float> start = random.floats(count, 0, 1);
  for (float& pixel : start) pixel = std::exp(pixel);  // the logarithm is what a picture stores

  DeviceArray<float> image(start), coefficient(count);
  DeviceArray<float> north(count), south(count), west(count), east(count);
  std::vector<double> expected(start.begin(), start.end());
  const dim3 grid(columns / kSradTile, rows / kSradTile), block(kSradTile, kSradTile);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const auto noise = static_cast<float>(srad_noise(image.to_host(), rows, columns));
    coefficients<<<grid, block>>>(image, north, south, west, east, coefficient, rows, columns,
                                  noise);
    diffuse<<<grid, block>>>(image, north, south, west, east, coefficient, rows, columns);
    check(cudaGetLastError());
    srad_on_host(expected, rows, columns);
  }

  // An iteration errs by some thirty roundings of a coefficient of at most 1, which weighs an
  // eighth of four differences below 2, so by 2e-6; and it hardly magnifies what it meets, for it
  // smooths.
  const Comparison result = compare(image.to_host(), expected, 32 * kFloatRounding * iterations);
  return report(result, "%s: %dx%d, %d iterations", name, rows, columns, iterations);
}

}  // namespace benchmark

#endif
