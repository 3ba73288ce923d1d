// execution dependency (ALU). One long chain of additions in each warp, and too few warps to fill
// the time from one addition to the next.
//   raddle run examples/stalls/alu.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 64, kSteps = 2000;

__global__ void add_up(float* out, float step) {
  float sum = 0;
#pragma unroll 20
  for (int i = 0; i < kSteps; ++i) sum += step;
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int main() {
  const int blocks = 30;
  float* out = make_buffer(blocks * kThreads);
  add_up<<<blocks, kThreads>>>(out, 0.5f);
  return check("alu", out, blocks * kThreads, [](int) { return kSteps * 0.5f; });
}
