// ordered access. Atomics on global memory have their turn at the end of a quantum, in an
// order that does not depend on the host's threads; until then their warp waits. It is a few cycles
// each time and leads only if nobody wants the old value: for that a warp waits much longer. `red`
// is the atomic that returns nothing; clang writes `atom` for atomicAdd() even then. Eight lanes of
// a warp share a sector, so that the network does not become the limit.
//   raddle run examples/stalls/ordered_accesses.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 64, kBlocks = 15, kRows = 20, kRounds = 40, kActive = 8;

__device__ void add_one(float* place) {
  asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(place) : "memory");
}

__global__ void count(float* out) {
  float* mine = out + blockIdx.x * kThreads + threadIdx.x;
  if (threadIdx.x % 32 >= kActive) return;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int row = 0; row < kRows; ++row) add_one(mine + row * kBlocks * kThreads);
  }
}

int main() {
  const int counters = kRows * kBlocks * kThreads;
  float* out = make_buffer(counters, 0);
  count<<<kBlocks, kThreads>>>(out);
  return check("ordered_accesses", out, counters,
               [](int i) { return i % 32 < kActive ? float{kRounds} : 0.0f; });
}
