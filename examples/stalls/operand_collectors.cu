// dispatch (operand collectors). A 64-bit sum reads two pairs of registers and writes one. A bank
// of the register file gives one operand a cycle, and two such instructions a cycle ask for most of
// the banks: collectors wait for operands, and new instructions for collectors.
//   raddle run examples/stalls/operand_collectors.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 512, kSteps = 60;

__host__ __device__ inline float iterate(unsigned long long start) {
  unsigned long long a = start, b = a + 3, c = a + 5, d = a + 7;
#pragma unroll 12
  for (int i = 0; i < kSteps; ++i) {
    a = (a ^ b) + c;
    b = (b ^ c) + d;
    c = (c ^ d) + a;
    d = (d ^ a) + b;
  }
  return (a ^ b ^ c ^ d) & 1023;
}

__global__ void iterate_all(float* out) {
  out[blockIdx.x * kThreads + threadIdx.x] = iterate(threadIdx.x);
}

int main() {
  const int blocks = 45;
  float* out = make_buffer(blocks * kThreads);
  iterate_all<<<blocks, kThreads>>>(out);
  return check("operand_collectors", out, blocks * kThreads,
               [](int i) { return iterate(i % kThreads); });
}
