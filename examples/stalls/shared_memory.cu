// short scoreboard (shared). A chain of loads again, but through shared memory: 26 cycles each on
// fermi instead of some hundred, and every thread has its own bank.
//   raddle run examples/stalls/shared_memory.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 32, kSteps = 500;

__global__ void chase(float* out) {
  __shared__ volatile int next[kThreads];
  next[threadIdx.x] = (threadIdx.x + 1) % kThreads;
  int place = threadIdx.x;
#pragma unroll 20
  for (int i = 0; i < kSteps; ++i) place = next[place];
  out[blockIdx.x * kThreads + threadIdx.x] = place;
}

int main() {
  const int blocks = 30;
  float* out = make_buffer(blocks * kThreads);
  chase<<<blocks, kThreads>>>(out);
  return check("shared_memory", out, blocks * kThreads,
               [](int i) { return static_cast<float>((i + kSteps) % kThreads); });
}
