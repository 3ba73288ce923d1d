// Prefix sums of blocks: the program around the kernel, for its form with shared memory and the one
// between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_SCAN_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_SCAN_H

#include "benchmark.h"

namespace benchmark {

constexpr int kScanBlock = 512;

// kernel(in, out, n) with kScanBlock threads a block. A sum of at most kScanBlock values below 1 is
// rounded `roundings` times.
template <typename Kernel>
int run_scan(int argc, char** argv, const char* name, Kernel kernel, int roundings) {
  Arguments arguments(argc, argv, name, "[ELEMENTS] [SEED]");
  const int n = arguments.number("ELEMENTS", 1 << 17, 1, 65535 * kScanBlock);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float> values = random.floats(n, -1, 1);

  DeviceArray<float> in(values), out(n);
  kernel<<<blocks_for(n, kScanBlock), kScanBlock>>>(in, out, n);
  check(cudaGetLastError());

  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = (i % kScanBlock == 0 ? 0 : expected[i - 1]) + values[i];
  const Comparison result =
      compare(out.to_host(), expected, roundings * kFloatRounding * kScanBlock);
  return report(result, "%s: %d elements in %d blocks", name, n, blocks_for(n, kScanBlock));
}

// kernel(in, out, n) with n = kScanBlock threads and so many bytes of dynamic shared memory a
// block: what lies before each element of its block is summed.
template <typename Kernel>
int run_exclusive_scan(int argc, char** argv, const char* name, Kernel kernel,
                       int shared_bytes = 0) {
  Arguments arguments(argc, argv, name, "[ELEMENTS, a multiple of 512] [SEED]");
  const int n =
      arguments.multiple_of(kScanBlock, "ELEMENTS", 1 << 17, kScanBlock, 65535 * kScanBlock);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float> values = random.floats(n, -1, 1);

  DeviceArray<float> in(values), out(n);
  kernel<<<n / kScanBlock, kScanBlock, shared_bytes>>>(in, out, kScanBlock);
  check(cudaGetLastError());

  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = i % kScanBlock == 0 ? 0 : expected[i - 1] + values[i - 1];
  const Comparison result =
      compare(out.to_host(), expected, kScanBlock * kFloatRounding * kScanBlock);
  return report(result, "%s: %d elements in %d blocks", name, n, n / kScanBlock);
}

}  // namespace benchmark

#endif
