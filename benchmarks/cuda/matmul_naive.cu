// Product of an N×K and a K×M matrix in which every thread loads its whole row and column from
// global memory: 2·N·K·M loads, the count that tiles and forwarding between threads are to save.
// Usage: matmul_naive [N] [K] [M] [SEED]; K and M are N where not given
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kSide = 16;

__global__ void matmul_naive(const float* a, const float* b, float* c, int rows, int inner,
                             int columns) {
  int row = blockIdx.y * kSide + threadIdx.y, column = blockIdx.x * kSide + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "matmul_naive [N] [K] [M] [SEED]");
  const int n = arguments.number("N", 128, 1, 1 << 14);
  const int inner = arguments.number("K", n, 1, 1 << 14);
  const int m = arguments.number("M", n, 1, 1 << 14);
  Random random(arguments.seed());
  arguments.end();

  // Sums of products of small eighths are exact in a float, in any order.
  std::vector<float> a(static_cast<size_t>(n) * inner), b(static_cast<size_t>(inner) * m);
  for (float& value : a) value = static_cast<float>(random.below(13) - 6) / 8;
  for (float& value : b) value = static_cast<float>(random.below(13) - 6) / 8;

  DeviceArray<float> device_a(a), device_b(b), device_c(static_cast<size_t>(n) * m);
  matmul_naive<<<dim3(blocks_for(m, kSide), blocks_for(n, kSide)), dim3(kSide, kSide)>>>(
      device_a, device_b, device_c, n, inner, m);
  check(cudaGetLastError());

  std::vector<float> expected(static_cast<size_t>(n) * m);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < inner; ++k)
        sum += double(a[static_cast<size_t>(i) * inner + k]) * b[static_cast<size_t>(k) * m + j];
      expected[static_cast<size_t>(i) * m + j] = static_cast<float>(sum);
    }
  }
  return report(compare(device_c.to_host(), expected), "matmul_naive: %dx%d times %dx%d", n, inner,
                inner, m);
}
