// membar. After each store, __threadfence() waits until all others can see it: the way to the
// L2 and back.
//   raddle run examples/stalls/fences.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 64, kSteps = 20;

__global__ void publish(float* out) {
  const int me = blockIdx.x * kThreads + threadIdx.x;
  for (int i = 1; i <= kSteps; ++i) {
    out[me] = i;
    __threadfence();
  }
}

int main() {
  const int blocks = 15;
  float* out = make_buffer(blocks * kThreads);
  publish<<<blocks, kThreads>>>(out);
  return check("fences", out, blocks * kThreads, [](int) { return float{kSteps}; });
}
