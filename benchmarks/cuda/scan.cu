// Prefix sums within blocks, by Hillis and Steele: in step d each thread adds the sum that lies d
// places before its own, from one shared-memory buffer to the other, with a barrier between steps.
// Sums are inclusive, as the dMT-CGRA paper defines them (a[0] + … + a[i]); each block scans its
// own 512 elements. Stands for that paper's `scan` (kernel scan_naive). Usage: scan [ELEMENTS]
// [SEED]
#include "common/scan.h"

constexpr int kBlock = benchmark::kScanBlock;
constexpr int kSteps = 9;  // log2(kBlock); each rounds once

__global__ void scan_naive(const float* in, float* out, int n) {
  __shared__ float sums[2][kBlock];
  int tid = threadIdx.x, i = blockIdx.x * kBlock + tid;
  int now = 0;
  sums[now][tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int distance = 1; distance < kBlock; distance *= 2) {
    float sum = sums[now][tid];
    if (tid >= distance) sum += sums[now][tid - distance];
    now = 1 - now;
    sums[now][tid] = sum;
    __syncthreads();
  }
  if (i < n) out[i] = sums[now][tid];
}

int main(int argc, char** argv) {
  return benchmark::run_scan(argc, argv, "scan", scan_naive, kSteps);
}
