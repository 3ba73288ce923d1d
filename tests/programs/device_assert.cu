// assert in a kernel: the next call returns cudaErrorAssert and goes on returning it until the device is reset; asserts that
// hold cost nothing. A trap is a launch failure in the same way.
#include <assert.h>

#include "check.h"

__global__ void positive(const int* in, int* out) {
  const int i = threadIdx.x;
  assert(in[i] > 0);
  out[i] = in[i] * 2;
}

__global__ void trap_if(int condition) {
  if (condition) __trap();
}

int main() {
  const int n = 40;
  int host[n], back[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = i + 1;
  CUDA_CHECK(cudaMalloc(&in, sizeof host));
  CUDA_CHECK(cudaMalloc(&out, sizeof host));
  CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  positive<<<1, n>>>(in, out);
  CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, back[i], 2 * (i + 1));

  host[17] = 0;
  CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  positive<<<1, n>>>(in, out);
  EXPECT_ERROR(cudaErrorAssert, cudaDeviceSynchronize());
  EXPECT_ERROR(cudaErrorAssert, cudaGetLastError());
  EXPECT_ERROR(cudaErrorAssert, cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));  // it sticks
  CUDA_CHECK(cudaDeviceReset());

  CUDA_CHECK(cudaMalloc(&in, sizeof host));
  trap_if<<<1, 32>>>(0);
  CHECK_LAUNCH();
  trap_if<<<1, 32>>>(1);
  CHECK(cudaDeviceSynchronize() != cudaSuccess);
  CUDA_CHECK(cudaDeviceReset());
  CUDA_CHECK(cudaMalloc(&in, sizeof host));
  CUDA_CHECK(cudaMemset(in, 0, sizeof host));
  return all_ok();
}
