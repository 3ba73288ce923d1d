// wait: operand collectors. a * a + a reads one register three times: its bank gives one operand a
// cycle, so that an instruction keeps its collector for three cycles where others keep it for one.
//   raddle run examples/stalls/operand_collectors.cu -m fermi --lines
#include <cmath>

#include "check.h"

constexpr int kThreads = 512, kSteps = 240;

__global__ void iterate(float* out, float start) {
  float a = start, b = start / 2, c = start / 4, d = start / 8;
#pragma unroll 12
  for (int i = 0; i < kSteps; ++i) {
    a = a * a + a;
    b = b * b + b;
    c = c * c + c;
    d = d * d + d;
  }
  out[blockIdx.x * kThreads + threadIdx.x] = a + b + c + d;
}

int main() {
  const int blocks = 45;
  float* out = make_buffer(blocks * kThreads);
  iterate<<<blocks, kThreads>>>(out, -0.5f);
  float x[4] = {-0.5f, -0.25f, -0.125f, -0.0625f};
  for (int i = 0; i < kSteps; ++i) {
    for (float& value : x) value = std::fma(value, value, value);
  }
  return check("operand_collectors", out, blocks * kThreads,
               [&](int) { return x[0] + x[1] + x[2] + x[3]; });
}
