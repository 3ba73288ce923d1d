// Sum of an array, block by block until one value is left: the program around the kernel, for its
// form with shared memory and the one between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_REDUCE_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_REDUCE_H

#include "benchmark.h"

namespace benchmark {

constexpr int kReduceBlock = 256;

// kernel(in, out, n): the sum of each block, with so many bytes of dynamic shared memory
template <typename Kernel>
int run_reduce(int argc, char** argv, const char* name, Kernel kernel, int shared_bytes = 0) {
  Arguments arguments(argc, argv, name, "[ELEMENTS] [SEED]");
  const int n = arguments.number("ELEMENTS", 1 << 18, 1, 65535 * kReduceBlock);
  Random random(arguments.seed());
  arguments.end();

  // Floats hold whole numbers below 2^24 exactly, and sums of these stay far below (2^15 is typical
  // of the most elements): the result must be exact.
  std::vector<float> values(n);
  double expected = 0;
  for (float& value : values) {
    value = static_cast<float>(random.below(17) - 8);
    expected += value;
  }

  DeviceArray<float> in(values), out(blocks_for(n, kReduceBlock));
  int left = n;
  do {
    kernel<<<blocks_for(left, kReduceBlock), kReduceBlock, shared_bytes>>>(in, out, left);
    check(cudaGetLastError());
    left = blocks_for(left, kReduceBlock);
    std::swap(in, out);
  } while (left > 1);

  float sum = 0;
  check(cudaMemcpy(&sum, in, sizeof sum, cudaMemcpyDeviceToHost));
  return report(compare(std::vector<float>{sum}, std::vector<double>{expected}),
                "%s: %d elements, sum %.0f", name, n, sum);
}

}  // namespace benchmark

#endif
