// Product of an N×K and a K×M matrix by 16×16 tiles in shared memory, with a barrier before and
// after each tile's use. Stands for `matrixMul` of the dMT-CGRA paper.
// Usage: matmul [N] [K] [M] [SEED]; multiples of 16, K and M are N where not given
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int inner, int columns) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int t = 0; t < inner / kTile; ++t) {
    tile_a[ty][tx] = a[row * inner + t * kTile + tx];
    tile_b[ty][tx] = b[(t * kTile + ty) * columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "matmul [N] [K] [M] [SEED]");
  const int n = arguments.multiple_of(kTile, "N", 256, kTile, 1 << 14);
  const int inner = arguments.multiple_of(kTile, "K", n, kTile, 1 << 14);
  const int m = arguments.multiple_of(kTile, "M", n, kTile, 1 << 14);
  Random random(arguments.seed());
  arguments.end();

  // Every product and sum of these eighths is a multiple of 1/64 that a float holds exactly, in any
  // order: the result must be exact.
  std::vector<float> a(static_cast<size_t>(n) * inner), b(static_cast<size_t>(inner) * m);
  for (float& value : a) value = static_cast<float>(random.below(13) - 6) / 8;
  for (float& value : b) value = static_cast<float>(random.below(13) - 6) / 8;

  DeviceArray<float> device_a(a), device_b(b), device_c(static_cast<size_t>(n) * m);
  matmul<<<dim3(m / kTile, n / kTile), dim3(kTile, kTile)>>>(device_a, device_b, device_c, inner,
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
  return report(compare(device_c.to_host(), expected), "matmul: %dx%d times %dx%d", n, inner, inner,
                m);
}
