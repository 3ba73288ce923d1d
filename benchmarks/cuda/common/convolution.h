// The row pass of a separable image filter: the program around the kernel, for its form with shared
// memory and the one between threads. A block has a thread for each pixel of its tile and for those
// that the filter reaches to either side.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_CONVOLUTION_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_CONVOLUTION_H

#include "benchmark.h"

namespace benchmark {

constexpr int kConvolutionRadius = 8;
constexpr int kConvolutionTaps = 2 * kConvolutionRadius + 1;
constexpr int kConvolutionTile = 128;
constexpr int kConvolutionThreads = kConvolutionRadius + kConvolutionTile + kConvolutionRadius;

__constant__ float convolution_filter[kConvolutionTaps];

// kernel(image, out, columns), with a row of blocks for each row of the image
template <typename Kernel>
int run_convolution(int argc, char** argv, const char* name, Kernel kernel) {
  Arguments arguments(argc, argv, name, "[COLUMNS] [ROWS] [SEED]");
  const int columns = arguments.number("COLUMNS", 512, 1, 1 << 15);
  const int rows = arguments.number("ROWS", 256, 1, 1 << 15);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float> image = random.floats(static_cast<size_t>(columns) * rows, 0, 1);
  const std::vector<float> taps = random.floats(kConvolutionTaps, -1, 1);

  DeviceArray<float> in(image), out(image.size());
  check(cudaMemcpyToSymbol(convolution_filter, taps.data(), sizeof convolution_filter));
  const dim3 grid(blocks_for(columns, kConvolutionTile), rows);
  kernel<<<grid, kConvolutionThreads>>>(in, out, columns);
  check(cudaGetLastError());

  // Each pixel spreads over its neighbours: the same sums, gathered the other way round.
  std::vector<double> expected(image.size());
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      for (int k = 0; k < kConvolutionTaps; ++k) {
        const int to = x + k - kConvolutionRadius;
        if (to < 0 || to >= columns) continue;
        expected[static_cast<size_t>(y) * columns + to] +=
            static_cast<double>(image[static_cast<size_t>(y) * columns + x]) * taps[k];
      }
    }
  }
  // kConvolutionTaps products below 1 are rounded and added, and each addition rounds a sum below
  // kConvolutionTaps.
  const Comparison result =
      compare(out.to_host(), expected, (kConvolutionTaps + 1) * kFloatRounding * kConvolutionTaps);
  return report(result, "%s: %dx%d, %d taps", name, columns, rows, kConvolutionTaps);
}

}  // namespace benchmark

#endif
