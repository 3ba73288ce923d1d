// no resident warp. One block on a GPU of 15 SMs: 14 of them have nothing to do.
//   raddle run examples/stalls/warps.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 256, kSteps = 100;

__global__ void alone(float* out, float step) {
  float sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += step;
  out[threadIdx.x] = sum;
}

int main() {
  float* out = make_buffer(kThreads);
  alone<<<1, kThreads>>>(out, 0.5f);
  return check("warps", out, kThreads, [](int) { return kSteps * 0.5f; });
}
