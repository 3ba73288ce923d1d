// Sum of an array by a tree in shared memory: each block halves its values step by step, with a
// barrier between steps, and the blocks' sums are reduced by further launches until one is left.
// Stands for `reduce` of the dMT-CGRA paper. Usage: reduce [ELEMENTS] [SEED]
#include "common/reduce.h"

constexpr int kBlock = benchmark::kReduceBlock;

__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[kBlock];
  int tid = threadIdx.x, i = blockIdx.x * kBlock + tid;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = kBlock / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = partial[0];
}

int main(int argc, char** argv) { return benchmark::run_reduce(argc, argv, "reduce", reduce); }
