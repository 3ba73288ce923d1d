// math pipe throttle. Many warps, each with several independent products: on fermi the two SP
// units take an integer product every second cycle, the schedulers could issue one in each.
//   raddle run examples/stalls/execution_units.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 512, kSteps = 240;

__global__ void multiply(float* out, unsigned factor) {
  unsigned a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 12
  for (int i = 0; i < kSteps; ++i) {
    a *= factor;
    b *= factor;
    c *= factor;
    d *= factor;
  }
  out[blockIdx.x * kThreads + threadIdx.x] = (a + b + c + d) & 1023;
}

int main() {
  const int blocks = 45;
  float* out = make_buffer(blocks * kThreads);
  multiply<<<blocks, kThreads>>>(out, 3);
  return check("execution_units", out, blocks * kThreads, [](int i) {
    unsigned power = 1;
    for (int step = 0; step < kSteps; ++step) power *= 3;
    return static_cast<float>(((i % kThreads) * 4 + 6) * power & 1023);
  });
}
