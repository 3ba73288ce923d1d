// barrier. One warp works, the others of its block wait for it at __syncthreads().
//   raddle run examples/stalls/barriers.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 512, kSteps = 400;

__global__ void one_works(float* out, float step) {
  __shared__ float sum[32];
  if (threadIdx.x < 32) {
    float mine = 0;
#pragma unroll 20
    for (int i = 0; i < kSteps; ++i) mine += step;
    sum[threadIdx.x] = mine;
  }
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = sum[threadIdx.x % 32];
}

int main() {
  const int blocks = 30;
  float* out = make_buffer(blocks * kThreads);
  one_works<<<blocks, kThreads>>>(out, 0.5f);
  return check("barriers", out, blocks * kThreads, [](int) { return kSteps * 0.5f; });
}
