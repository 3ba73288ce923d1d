// One training step of a neural network with many inputs and 16 hidden units, whose sums are made
// between threads by the algorithm of cuda/backprop.cu, the form with shared memory: one thread of
// a row loads the row's input and it is passed on, and columns are added up by a tree, level by
// level. The kernel that adjusts the weights is the same in both. Usage: dmt/backprop [INPUTS, a
// multiple of 16] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/backprop.h"

constexpr int kHidden = benchmark::kBackpropHidden;
constexpr int kRows = benchmark::kBackpropRows;

// Row 0 of `weights` is the bias; input i has row i + 1.
__global__ void layer_forward_between_threads(const float* input, const float* weights,
                                              float* partial_sums) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.x * kRows + ty;
  float value = fromThreadOrMem<{-1, 0}>(input[row], tx == 0);
  float sum = weights[(row + 1) * kHidden + tx] * value;
  tagValue<"products">(sum);
  float other = fromThreadOrConst<"products", {0, 1}, 0.0f>();
  if (ty % 2 == 0) sum += other;
  tagValue<"pairs">(sum);
  other = fromThreadOrConst<"pairs", {0, 2}, 0.0f>();
  if (ty % 4 == 0) sum += other;
  tagValue<"fours">(sum);
  other = fromThreadOrConst<"fours", {0, 4}, 0.0f>();
  if (ty % 8 == 0) sum += other;
  tagValue<"eights">(sum);
  other = fromThreadOrConst<"eights", {0, 8}, 0.0f>();
  if (ty == 0) partial_sums[blockIdx.x * kHidden + tx] = sum + other;
}

int main(int argc, char** argv) {
  return benchmark::run_backprop(argc, argv, "dmt/backprop", layer_forward_between_threads);
}
