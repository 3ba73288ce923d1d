// Sum of an array by a tree in shared memory, with the work of variant 2 of the SDK's reduction
// (sequential addressing): the array is dynamic and the tree's height is known at run time only,
// from the size of the block. The tidy form is reduce.cu. Usage: reduce_sdk [ELEMENTS] [SEED]
#include "common/reduce.h"

__global__ void reduce_sdk(const float* in, float* out, int n) {
  extern __shared__ float partial[];
  const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = partial[0];
}

int main(int argc, char** argv) {
  return benchmark::run_reduce(argc, argv, "reduce_sdk", reduce_sdk,
                               benchmark::kReduceBlock * sizeof(float));
}
