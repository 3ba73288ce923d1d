// Bad calls get the error code that CUDA gives, leave memory as it was, and the next good call works.
#include "check.h"

__global__ void fill(int* out, int value) { out[threadIdx.x] = value; }

__global__ void __launch_bounds__(128) at_most_128(int* out) { out[threadIdx.x] = 3; }

__global__ void uses_dynamic(int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

void not_a_kernel(int*) {}

static void expect_launch_error(cudaError_t error, dim3 grid, dim3 block, size_t shared, int* out) {
  uses_dynamic<<<grid, block, shared>>>(out);
  EXPECT_ERROR(error, cudaPeekAtLastError());
  EXPECT_ERROR(error, cudaGetLastError());
  CUDA_CHECK(cudaGetLastError());  // reading the error clears it
}

static void check_launches(int* out) {
  const cudaError_t wrong = cudaErrorInvalidConfiguration;
  expect_launch_error(wrong, 0, 32, 128, out);
  expect_launch_error(wrong, 1, 0, 128, out);
  expect_launch_error(wrong, 1, 1025, 8192, out);
  expect_launch_error(wrong, 1, dim3(64, 64), 0, out);
  expect_launch_error(wrong, 1, dim3(1, 1, 65), 0, out);
  expect_launch_error(wrong, dim3(1, 65536), 32, 0, out);
  expect_launch_error(cudaErrorInvalidValue, 1, 32, 1 << 20, out);
  at_most_128<<<1, 256>>>(out);
  CHECK(cudaGetLastError() != cudaSuccess);
  void* arguments[] = {&out};
  EXPECT_ERROR(cudaErrorInvalidDeviceFunction,
               cudaLaunchKernel((const void*)not_a_kernel, dim3(1), dim3(1), arguments, 0, 0));
  cudaGetLastError();

  int host[32];
  uses_dynamic<<<1, 32, 32 * sizeof(int)>>>(out);
  CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) CHECK_EQUAL_AT(i, host[i], 31 - i);
}

static void check_memory(int* out) {
  void* pointer = &pointer;
  size_t free_bytes, total;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&pointer, total + 1));
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&pointer, ~(size_t)0));
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaGetLastError());
  CUDA_CHECK(cudaMalloc(&pointer, 0));

  int host[64], back[64];
  for (int i = 0; i < 64; ++i) host[i] = -1;
  fill<<<1, 64>>>(out, 77);
  CHECK_LAUNCH();
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(out, host, 1 << 20, cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(out + 63, host, 2 * sizeof(int), cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(host, out, 65 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(out, 0, 65 * sizeof(int)));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(out, host, 4, (cudaMemcpyKind)42));
  cudaGetLastError();
  CUDA_CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) CHECK(back[i] == 77 && host[i] == -1);

  CUDA_CHECK(cudaFree(0));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(host));
  int* freed;
  CUDA_CHECK(cudaMalloc(&freed, 256));
  CUDA_CHECK(cudaFree(freed));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(freed));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(freed, host, 4, cudaMemcpyHostToDevice));
  cudaGetLastError();
}

static void check_what_is_not_there() {
  cudaIpcMemHandle_t handle;
  EXPECT_ERROR(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, 0));
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t levels;
  EXPECT_ERROR(cudaErrorNotSupported, cudaMallocMipmappedArray(&levels, &texel, make_cudaExtent(4, 4, 0), 3));
  cudaGetLastError();
}

int main() {
  int* out;
  CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
  check_launches(out);
  check_memory(out);
  check_what_is_not_there();
  CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration") == 0);
  CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  return all_ok();
}
