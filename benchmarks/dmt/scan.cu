// Prefix sums within blocks, from thread to thread: each adds its element to the sum that the
// thread before it passes on, as in Figure 6 of the dMT-CGRA paper. The shared-memory form is
// cuda/scan.cu. Usage: dmt/scan [ELEMENTS] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/scan.h"

__global__ void scan_between_threads(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  float sum = fromThreadOrConst<"sum", -1, 0.0f>() + value;
  tagValue<"sum">(sum);
  if (i < n) out[i] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_scan(argc, argv, "dmt/scan", scan_between_threads, benchmark::kScanBlock);
}
