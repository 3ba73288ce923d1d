// short scoreboard (SFU). A chain of square roots: each takes the special function unit 39 cycles.
//   raddle run examples/stalls/sfu.cu -m fermi --lines
#include <cmath>

#include "check.h"

constexpr int kThreads = 64, kSteps = 500;

__global__ void roots(float* out, float start) {
  float x = start;
#pragma unroll 20
  for (int i = 0; i < kSteps; ++i) x = sqrtf(x);
  out[blockIdx.x * kThreads + threadIdx.x] = x;
}

int main() {
  const int blocks = 30;
  float* out = make_buffer(blocks * kThreads);
  roots<<<blocks, kThreads>>>(out, 3);
  return check("sfu", out, blocks * kThreads, [](int) {
    float x = 3;
    for (int i = 0; i < kSteps; ++i) x = std::sqrt(x);
    return x;
  });
}
