// LG/MIO throttle (load/store unit). All threads of a warp go to the same bank of shared memory, so
// that one load takes 32 passes. `kStride` 33 instead of 32 would end that.
//   raddle run examples/stalls/load_store_unit.cu -m fermi --lines
#include "check.h"

constexpr int kThreads = 256, kStride = 32, kSteps = 5;

__global__ void columns(float* out) {
  __shared__ float tile[32 * kStride];
  for (int i = threadIdx.x; i < 32 * kStride; i += kThreads) tile[i] = i;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    for (int column = 0; column < 4; ++column)
      sum += tile[threadIdx.x % 32 * kStride + (threadIdx.x / 32 + i + column) % 32];
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int main() {
  const int blocks = 75;
  float* out = make_buffer(blocks * kThreads);
  columns<<<blocks, kThreads>>>(out);
  return check("load_store_unit", out, blocks * kThreads, [](int number) {
    const int thread = number % kThreads;
    float sum = 0;
    for (int i = 0; i < kSteps; ++i) {
      for (int column = 0; column < 4; ++column)
        sum += thread % 32 * kStride + (thread / 32 + i + column) % 32;
    }
    return sum;
  });
}
