// no instruction. A loop body of some thousand instructions, run once by each of few
// warps: every line of code comes from the L2 or from memory, and no line is used again before it
// is thrown out.
//   raddle run examples/stalls/instruction_fetch.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 64, kRounds = 2, kSteps = 512;

__global__ void straight_line(float* out, int factor) {
  int a = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kSteps; ++i) a = (a ^ i * 77) + factor;
  }
  out[blockIdx.x * kThreads + threadIdx.x] = a % 1000;
}

int main() {
  const int blocks = 15;
  float* out = make_buffer(blocks * kThreads);
  straight_line<<<blocks, kThreads>>>(out, 5);
  return check("instruction_fetch", out, blocks * kThreads, [](int number) {
    int a = number % kThreads;
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kSteps; ++i) a = (a ^ i * 77) + 5;
    }
    return static_cast<float>(a % 1000);
  });
}
