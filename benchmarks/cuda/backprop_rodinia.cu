// The hidden units' sums of a neural network, with the work that Rodinia's layerforward kernel
// does: the height of the tree is a logarithm and the distance of a level a power, both computed by
// every thread, which rows add is decided by % with that distance, the tree is written back over
// the weights, and the sums leave across a column. The tidy form is backprop.cu.
// Usage: backprop_rodinia [INPUTS, a multiple of 16] [SEED]
#include "common/backprop_rodinia.h"

constexpr int kHidden = benchmark::kBackpropHidden;
constexpr int kRows = benchmark::kBackpropRows;

__global__ void layer_forward_rodinia(const float* input, float* weights, float* partial_sums,
                                      int hidden) {
  __shared__ float values[kRows];
  __shared__ float products[kRows][kHidden];
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int i = (hidden + 1) * kRows * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  if (tx == 0) values[ty] = input[kRows * by + ty + 1];
  __syncthreads();
  products[ty][tx] = weights[i];
  __syncthreads();
  products[ty][tx] = products[ty][tx] * values[ty];
  __syncthreads();
  for (int level = 1; level <= __log2f(kRows); ++level) {
    const int rows = __powf(2, level);
    if (ty % rows == 0) products[ty][tx] = products[ty][tx] + products[ty + rows / 2][tx];
    __syncthreads();
  }
  weights[i] = products[ty][tx];
  __syncthreads();
  if (tx == 0) partial_sums[by * hidden + ty] = products[tx][ty];
}

int main(int argc, char** argv) {
  return benchmark::run_layer_forward(argc, argv, "backprop_rodinia", layer_forward_rodinia);
}
