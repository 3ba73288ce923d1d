// The row pass of a separable image filter: the program around the kernel, for its form with shared
// memory and the one between threads. A block has a thread for each pixel of its tile and for those
// that the filter reaches to either side.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_CONVOLUTION_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_CONVOLUTION_H

#include <iterator>

#include "benchmark.h"

namespace benchmark {

constexpr int kConvolutionTile = 128;

__constant__ float convolution_filter[17];

// kernel(image, out, columns), with a row of blocks for each row of the image. A block has `before`
// threads, then one for each pixel of its tile, then as many as the filter reaches.
template <int Radius, typename Kernel>
int run_convolution(int argc, char** argv, const char* name, Kernel kernel, int before = Radius) {
  constexpr int kTaps = 2 * Radius + 1;
  static_assert(kTaps <= std::size(convolution_filter));
  Arguments arguments(argc, argv, name, "[COLUMNS] [ROWS] [SEED]");
  const int columns = arguments.number("COLUMNS", 512, 1, 1 << 15);
  const int rows = arguments.number("ROWS", 256, 1, 1 << 15);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float> image = random.floats(static_cast<size_t>(columns) * rows, 0, 1);
  const std::vector<float> taps = random.floats(kTaps, -1, 1);

  DeviceArray<float> in(image), out(image.size());
  check(cudaMemcpyToSymbol(convolution_filter, taps.data(), kTaps * sizeof(float)));
  const dim3 grid(blocks_for(columns, kConvolutionTile), rows);
  kernel<<<grid, before + kConvolutionTile + Radius>>>(in, out, columns);
  check(cudaGetLastError());

  // Each pixel spreads over its neighbours: the same sums, gathered the other way round.
  std::vector<double> expected(image.size());
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      for (int k = 0; k < kTaps; ++k) {
        const int to = x + k - Radius;
        if (to < 0 || to >= columns) continue;
        expected[static_cast<size_t>(y) * columns + to] +=
            static_cast<double>(image[static_cast<size_t>(y) * columns + x]) * taps[k];
      }
    }
  }
  // kTaps products below 1 are rounded and added, and each addition rounds a sum below
  // kTaps.
  const Comparison result = compare(out.to_host(), expected, (kTaps + 1) * kFloatRounding * kTaps);
  return report(result, "%s: %dx%d, %d taps", name, columns, rows, kTaps);
}

}  // namespace benchmark

#endif
