// Product of an N×K and a K×M matrix by blocks of 16×16 threads, one for each element: the program
// around the kernel, for its form with shared memory and the one between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_MATMUL_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_MATMUL_H

#include "benchmark.h"

namespace benchmark {

constexpr int kMatmulTile = 16;

// kernel(a, b, c, inner, columns); a kernel for which K is a constant has no argument for it.
template <typename Kernel>
int run_matmul(int argc, char** argv, const char* name, Kernel kernel, int constant = 0) {
  Arguments arguments(argc, argv, name, constant > 0 ? "[N] [M] [SEED]" : "[N] [K] [M] [SEED]");
  constexpr int kTile = kMatmulTile;
  const int n = arguments.multiple_of(kTile, "N", 256, kTile, 1 << 14);
  const int inner = constant > 0 ? constant : arguments.multiple_of(kTile, "K", n, kTile, 1 << 14);
  const int m = arguments.multiple_of(kTile, "M", n, kTile, 1 << 14);
  Random random(arguments.seed());
  arguments.end();

  // Every product and sum of these eighths is a multiple of 1/64 that a float holds exactly, in any
  // order: the result must be exact.
  std::vector<float> a(static_cast<size_t>(n) * inner), b(static_cast<size_t>(inner) * m);
  for (float& value : a) value = static_cast<float>(random.below(13) - 6) / 8;
  for (float& value : b) value = static_cast<float>(random.below(13) - 6) / 8;

  DeviceArray<float> device_a(a), device_b(b), device_c(static_cast<size_t>(n) * m);
  kernel<<<dim3(m / kTile, n / kTile), dim3(kTile, kTile)>>>(device_a, device_b, device_c, inner,
                                                             m);
  check(cudaGetLastError());

  std::vector<float> expected(static_cast<size_t>(n) * m);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < inner; ++k) {
      const float factor = a[static_cast<size_t>(i) * inner + k];
      const float* b_row = &b[static_cast<size_t>(k) * m];
      float* row = &expected[static_cast<size_t>(i) * m];
      for (int j = 0; j < m; ++j) row[j] += factor * b_row[j];
    }
  }
  return report(compare(device_c.to_host(), expected), "%s: %dx%d times %dx%d", name, n, inner,
                inner, m);
}

}  // namespace benchmark

#endif
