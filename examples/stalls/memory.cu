// long scoreboard (memory). Each thread follows a chain of addresses: the next one is known only
// when the last load has come, and nothing is left to do meanwhile.
//   raddle run examples/stalls/memory.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 64, kSteps = 20, kWords = 1 << 20;

__global__ void chase(const float* next, float* out) {
  int place = blockIdx.x * kThreads + threadIdx.x;
  for (int i = 0; i < kSteps; ++i) place = next[place];
  out[blockIdx.x * kThreads + threadIdx.x] = place;
}

int main() {
  const int blocks = 15;
  float *next = make_buffer(kWords), *out = make_buffer(blocks * kThreads);
  const auto step = [](int place) { return (place + 4099 * 32) % kWords; };
  for (int i = 0; i < kWords; ++i) next[i] = step(i);
  chase<<<blocks, kThreads>>>(next, out);
  return check("memory", out, blocks * kThreads, [&](int place) {
    for (int i = 0; i < kSteps; ++i) place = step(place);
    return static_cast<float>(place);
  });
}
