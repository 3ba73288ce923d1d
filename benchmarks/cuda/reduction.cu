// Sum of an array: each thread adds up a strided part, warps by shuffles, blocks through shared
// memory, the grid by one atomic addition a block. Usage: reduction [ELEMENTS]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__inline__ __device__ int warp_sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

__global__ void reduction(const int* in, int* sum, int n) {
  __shared__ int partial[32];
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    value += in[i];
  }
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? partial[lane] : 0;
    value = warp_sum(value);
    if (lane == 0) atomicAdd(sum, value);
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  std::vector<int> values(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 37 + 11) % 1001 - 500;
    expected += values[i];
  }

  int *device_values, *device_sum, sum = 0;
  cudaMalloc(&device_values, sizeof(int) * n);
  cudaMalloc(&device_sum, sizeof(int));
  cudaMemcpy(device_values, values.data(), sizeof(int) * n, cudaMemcpyHostToDevice);
  cudaMemset(device_sum, 0, sizeof(int));
  reduction<<<64, 256>>>(device_values, device_sum, n);
  cudaMemcpy(&sum, device_sum, sizeof(int), cudaMemcpyDeviceToHost);
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "reduction: %s\n", cudaGetErrorString(error));
    return 1;
  }

  std::printf("reduction: %d elements, sum %d, expected %d\n", n, sum, expected);
  cudaFree(device_values);
  cudaFree(device_sum);
  return sum != expected;
}
