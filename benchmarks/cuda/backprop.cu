// One training step of a neural network with many inputs, 16 hidden units and one output. The first
// kernel multiplies a 16×16 tile of weights by the inputs and adds up its columns by a tree in
// shared memory; the host finishes the sums and computes the errors; the second kernel adjusts the
// weights. Stands for `BPNN` (layerforward) of the dMT-CGRA and BP1, BP2 of the gpu-sharing paper.
// Usage: backprop [INPUTS, a multiple of 16] [SEED]
#include "common/backprop.h"

constexpr int kHidden = benchmark::kBackpropHidden;
constexpr int kRows = benchmark::kBackpropRows;

// Row 0 of `weights` is the bias; input i has row i + 1.
__global__ void layer_forward(const float* input, const float* weights, float* partial_sums) {
  __shared__ float values[kRows];
  __shared__ float products[kRows][kHidden];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.x * kRows + ty;
  if (tx == 0) values[ty] = input[row];
  __syncthreads();
  products[ty][tx] = weights[(row + 1) * kHidden + tx] * values[ty];
  __syncthreads();
  for (int distance = 1; distance < kRows; distance *= 2) {
    if (ty % (2 * distance) == 0) products[ty][tx] += products[ty + distance][tx];
    __syncthreads();
  }
  if (ty == 0) partial_sums[blockIdx.x * kHidden + tx] = products[0][tx];
}

int main(int argc, char** argv) {
  return benchmark::run_backprop(argc, argv, "backprop", layer_forward);
}
