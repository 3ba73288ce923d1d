// The same work done by two kernels: one whose threads of a warp all go the same way, one whose
// neighbours part. Compare the two rows of the summary, or ask for the cost of each line:
//   raddle run examples/cuda/divergence.cu --lines
#include <cstdio>
#include <vector>

__device__ int collatz_steps(int n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

// All threads of a warp start from the same number.
__global__ void together(int* steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  steps[i] = collatz_steps(1 + i / 32);
}

// Neighbours start from different numbers, and the warp waits for its slowest.
__global__ void apart(int* steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  steps[i] = collatz_steps(1 + i % 256);
}

int host_steps(int n) { return n == 1 ? 0 : 1 + host_steps(n % 2 == 0 ? n / 2 : 3 * n + 1); }

int main() {
  const int n = 8192;
  int *device, wrong = 0;
  std::vector<int> steps(n);
  cudaMalloc(&device, n * sizeof(int));
  together<<<n / 256, 256>>>(device);
  cudaMemcpy(steps.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += steps[i] != host_steps(1 + i / 32);
  apart<<<n / 256, 256>>>(device);
  cudaMemcpy(steps.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += steps[i] != host_steps(1 + i % 256);
  std::printf("divergence: %d of %d wrong\n", wrong, 2 * n);
  return wrong != 0;
}
