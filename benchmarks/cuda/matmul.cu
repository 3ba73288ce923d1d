// Product of two square matrices by 16×16 tiles in shared memory, with a barrier before and after
// each tile's use. Usage: matmul [SIZE, a multiple of 16]
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int t = 0; t < n / kTile; ++t) {
    tile_a[ty][tx] = a[row * n + t * kTile + tx];
    tile_b[ty][tx] = b[(t * kTile + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 256;
  if (n <= 0 || n % kTile != 0) {
    std::fprintf(stderr, "matmul: the size must be a multiple of %d\n", kTile);
    return 2;
  }
  const size_t count = static_cast<size_t>(n) * n, bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), c(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i * 7 % 13) / 8 - 0.75f;
    b[i] = static_cast<float>(i * 5 % 11) / 8 - 0.625f;
  }

  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);
  matmul<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(device_a, device_b, device_c, n);
  cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost);
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "matmul: %s\n", cudaGetErrorString(error));
    return 1;
  }

  // Every product and sum here is a multiple of 1/64 that a float holds exactly, in any order.
  int wrong = 0;
  std::vector<float> row(n);
  for (int i = 0; i < n; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) row[j] += a[i * n + k] * b[k * n + j];
    }
    for (int j = 0; j < n; ++j) wrong += c[i * n + j] != row[j];
  }
  std::printf("matmul: %d x %d, %d wrong\n", n, n, wrong);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  return wrong != 0;
}
