// Sum of an array between threads. A tree with a window for each of its levels adds up groups of 2,
// 4, 8 and 16 threads: the last thread of a group adds the sum of the group's first half to its own
// (dMT-CGRA paper, section 3.2: "grouping useful for computing reduction trees"). The sums of 16
// threads then run through the block in steps of 16, so that no value goes farther than a token
// buffer reaches. Blocks' sums are reduced by further launches until one is left. The shared-memory
// form is cuda/reduce.cu. Usage: dmt/reduce [ELEMENTS] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/reduce.h"

__global__ void reduce_between_threads(const float* in, float* out, int n) {
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  float sum = i < n ? in[i] : 0.0f;
  tagValue<"pairs">(sum);
  sum += fromThreadOrConst<"pairs", -1, 0.0f, 2>();
  tagValue<"fours">(sum);
  sum += fromThreadOrConst<"fours", -2, 0.0f, 4>();
  tagValue<"eights">(sum);
  sum += fromThreadOrConst<"eights", -4, 0.0f, 8>();
  tagValue<"sixteens">(sum);
  sum += fromThreadOrConst<"sixteens", -8, 0.0f, 16>();
  sum += fromThreadOrConst<"so far", -16, 0.0f>();
  tagValue<"so far">(sum);
  if (tid == blockDim.x - 1) out[blockIdx.x] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_reduce(argc, argv, "dmt/reduce", reduce_between_threads);
}
