// One training step of a neural network whose sums are made between threads in the paper's idiom: a
// tree with a window for each level (dMT-CGRA paper, section 3.2: "grouping useful for computing
// reduction trees"). The first half of a window receives and adds, the second half gets zero, so
// that nothing has to be selected. dmt/backprop.cu has the same sums without windows.
// Usage: dmt/backprop_windows [INPUTS, a multiple of 16] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/backprop.h"

constexpr int kHidden = benchmark::kBackpropHidden;
constexpr int kRows = benchmark::kBackpropRows;

// Row 0 of `weights` is the bias; input i has row i + 1.
__global__ void layer_forward_windows_between_threads(const float* input, const float* weights,
                                                      float* partial_sums) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.x * kRows + ty;
  float value = fromThreadOrMem<{-1, 0}>(input[row], tx == 0);
  float sum = weights[(row + 1) * kHidden + tx] * value;
  tagValue<"products">(sum);
  sum += fromThreadOrConst<"products", {0, 1}, 0.0f, 2 * kHidden>();
  tagValue<"pairs">(sum);
  sum += fromThreadOrConst<"pairs", {0, 2}, 0.0f, 4 * kHidden>();
  tagValue<"fours">(sum);
  sum += fromThreadOrConst<"fours", {0, 4}, 0.0f, 8 * kHidden>();
  tagValue<"eights">(sum);
  sum += fromThreadOrConst<"eights", {0, 8}, 0.0f>();
  if (ty == 0) partial_sums[blockIdx.x * kHidden + tx] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_backprop(argc, argv, "dmt/backprop_windows",
                                 layer_forward_windows_between_threads);
}
