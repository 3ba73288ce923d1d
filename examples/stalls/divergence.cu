// divergence. The threads of a warp go 8 ways, one after the other; slots are spent on each,
// but only one of the ways is the warp's own. Enough warps are there to hide everything else.
//   raddle run examples/stalls/divergence.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 512, kSteps = 40;

__device__ int work(int x, int factor) {
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) x = (x ^ factor) + i;
  return x;
}

__global__ void eight_ways(float* out) {
  int x = threadIdx.x;
  switch (threadIdx.x % 8) {
    case 0: x = work(x, 1); break;
    case 1: x = work(x, 2); break;
    case 2: x = work(x, 3); break;
    case 3: x = work(x, 4); break;
    case 4: x = work(x, 5); break;
    case 5: x = work(x, 6); break;
    case 6: x = work(x, 7); break;
    default: x = work(x, 8);
  }
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

int main() {
  const int blocks = 45;
  float* out = make_buffer(blocks * kThreads);
  eight_ways<<<blocks, kThreads>>>(out);
  return check("divergence", out, blocks * kThreads, [](int number) {
    int x = number % kThreads;
    const int factor = x % 8 + 1;
    for (int i = 0; i < kSteps; ++i) x = (x ^ factor) + i;
    return static_cast<float>(x);
  });
}
