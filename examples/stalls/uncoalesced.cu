// LG/MIO throttle (load/store unit). Without shared memory: each thread of a warp reads another
// 128-byte line, so that one load is 32 accesses, one a cycle. The lines are there: all of them fit
// into the L1.
//   raddle run examples/stalls/uncoalesced.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 256, kWordsInLine = 32, kSteps = 64;

__global__ void strided(const float* in, float* out) {
  float sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += in[threadIdx.x % 32 * kWordsInLine + i % kWordsInLine];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int main() {
  const int blocks = 30;
  float *in = make_buffer(32 * kWordsInLine), *out = make_buffer(blocks * kThreads);
  strided<<<blocks, kThreads>>>(in, out);
  return check("uncoalesced", out, blocks * kThreads, [](int) { return float{kSteps}; });
}
