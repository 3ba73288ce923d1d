// The hidden units' sums of a neural network between threads, by the algorithm of Rodinia's
// layerforward kernel: a tree over the rows of the block with a window for each level (dMT-CGRA
// paper, section 3.2), within which only the first half receives. Which of these rows keep the sum
// matters for what is written back over the weights alone. The shared-memory form is
// cuda/backprop_rodinia.cu. Usage: dmt/backprop_rodinia [INPUTS, a multiple of 16] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/backprop_rodinia.h"

constexpr int kHidden = benchmark::kBackpropHidden;
constexpr int kRows = benchmark::kBackpropRows;

__global__ void layer_forward_rodinia_between_threads(const float* input, float* weights,
                                                      float* partial_sums, int hidden) {
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int i = (hidden + 1) * kRows * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  const float value = fromThreadOrMem<{-1, 0}>(input[kRows * by + ty + 1], tx == 0);
  float sum = weights[i] * value;
  tagValue<"products">(sum);
  sum += fromThreadOrConst<"products", {0, 1}, 0.0f, 2 * kHidden>();
  tagValue<"pairs">(sum);
  float more = sum + fromThreadOrConst<"pairs", {0, 2}, 0.0f, 4 * kHidden>();
  if (ty % 4 == 0) sum = more;
  tagValue<"fours">(sum);
  more = sum + fromThreadOrConst<"fours", {0, 4}, 0.0f, 8 * kHidden>();
  if (ty % 8 == 0) sum = more;
  tagValue<"eights">(sum);
  more = sum + fromThreadOrConst<"eights", {0, 8}, 0.0f>();
  if (ty == 0) sum = more;
  weights[i] = sum;
  if (ty == 0) partial_sums[by * hidden + tx] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_layer_forward(argc, argv, "dmt/backprop_rodinia",
                                      layer_forward_rodinia_between_threads);
}
