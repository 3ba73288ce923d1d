// Sum of an array by a tree in shared memory: each block halves its values step by step, with a
// barrier between steps, and the blocks' sums are reduced by further launches until one is left.
// Stands for `reduce` of the dMT-CGRA paper. Usage: reduce [ELEMENTS] [SEED]
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock = 256;

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

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "reduce [ELEMENTS] [SEED]");
  const int n = arguments.number("ELEMENTS", 1 << 18, 1, 65535 * kBlock);
  Random random(arguments.seed());
  arguments.end();

  // Floats hold whole numbers below 2^24 exactly, and sums of these stay far below (2^15 is typical
  // of the most elements): the result must be exact.
  std::vector<float> values(n);
  double expected = 0;
  for (float& value : values) {
    value = static_cast<float>(random.below(17) - 8);
    expected += value;
  }

  DeviceArray<float> in(values), out(blocks_for(n, kBlock));
  int left = n;
  do {
    reduce<<<blocks_for(left, kBlock), kBlock>>>(in, out, left);
    check(cudaGetLastError());
    left = blocks_for(left, kBlock);
    std::swap(in, out);
  } while (left > 1);

  float sum = 0;
  check(cudaMemcpy(&sum, in, sizeof sum, cudaMemcpyDeviceToHost));
  return report(compare(std::vector<float>{sum}, std::vector<double>{expected}),
                "reduce: %d elements, sum %.0f", n, sum);
}
