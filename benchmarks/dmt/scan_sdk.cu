// Exclusive prefix sums within blocks, from thread to thread: Figure 6 of the dMT-CGRA paper with
// the result of the SDK's scan_naive, the sum before the thread's own element. The shared-memory
// form is cuda/scan_sdk.cu. Usage: dmt/scan_sdk [ELEMENTS, a multiple of 512] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/scan.h"

__global__ void scan_sdk_between_threads(const float* in, float* out, int n) {
  const int i = blockIdx.x * n + threadIdx.x;
  const float before = fromThreadOrConst<"sum", -1, 0.0f>();
  tagValue<"sum">(before + in[i]);
  out[i] = before;
}

int main(int argc, char** argv) {
  return benchmark::run_exclusive_scan(argc, argv, "dmt/scan_sdk", scan_sdk_between_threads);
}
