// Prefix sums within blocks, with the work that the SDK's `scan_naive` does: the number of elements
// of a block is known at run time only, both buffers are one dynamic array that is indexed by
// products, an element is copied to the other buffer and then added to there, and sums are
// exclusive. The SDK launches one block; here each block scans its own 512 elements. The tidy form
// is scan.cu. Usage: scan_sdk [ELEMENTS, a multiple of 512] [SEED]
#include "common/scan.h"

__global__ void scan_naive_sdk(const float* in, float* out, int n) {
  extern __shared__ float sums[];
  const int tid = threadIdx.x, first = blockIdx.x * n;
  int to = 0;
  sums[to * n + tid] = tid > 0 ? in[first + tid - 1] : 0.0f;
  for (int distance = 1; distance < n; distance *= 2) {
    to = 1 - to;
    const int from = 1 - to;
    __syncthreads();
    sums[to * n + tid] = sums[from * n + tid];
    if (tid >= distance) sums[to * n + tid] += sums[from * n + tid - distance];
  }
  __syncthreads();
  out[first + tid] = sums[to * n + tid];
}

int main(int argc, char** argv) {
  return benchmark::run_exclusive_scan(argc, argv, "scan_sdk", scan_naive_sdk,
                                       2 * benchmark::kScanBlock * sizeof(float));
}
