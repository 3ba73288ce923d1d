// Prefix sums within blocks, by Hillis and Steele: in step d each thread adds the sum that lies d
// places before its own, from one shared-memory buffer to the other, with a barrier between steps.
// Sums are inclusive, as the dMT-CGRA paper defines them (a[0] + … + a[i]); each block scans its
// own 512 elements. Stands for that paper's `scan` (kernel scan_naive). Usage: scan [ELEMENTS]
// [SEED]
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock = 512;
constexpr int kSteps = 9;  // log2(kBlock)

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
  Arguments arguments(argc, argv, "scan [ELEMENTS] [SEED]");
  const int n = arguments.number("ELEMENTS", 1 << 17, 1, 65535 * kBlock);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float> values = random.floats(n, -1, 1);

  DeviceArray<float> in(values), out(n);
  scan_naive<<<blocks_for(n, kBlock), kBlock>>>(in, out, n);
  check(cudaGetLastError());

  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = (i % kBlock == 0 ? 0 : expected[i - 1]) + values[i];
  // A sum of at most kBlock values below 1 is rounded once a step.
  const Comparison result = compare(out.to_host(), expected, kSteps * kFloatRounding * kBlock);
  return report(result, "scan: %d elements in %d blocks", n, blocks_for(n, kBlock));
}
