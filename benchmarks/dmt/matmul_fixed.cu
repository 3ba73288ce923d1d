// Product of an N×128 and a 128×M matrix between threads, as the dMT-CGRA paper writes it in Figure
// 2b (with its slips corrected): the whole loop over K is unrolled. The shared-memory form with the
// same knowledge of K is cuda/matmul_fixed.cu. Usage: dmt/matmul_fixed [N] [M] [SEED]; multiples of
// 16, M is N where not given
#include <raddle/dmt.h>

#include "../cuda/common/matmul.h"

constexpr int kTile = benchmark::kMatmulTile;
constexpr int kInner = 128;

__global__ void matmul_fixed_between_threads(const float* a, const float* b, float* c,
                                             int /*inner*/, int columns) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kInner; ++k) {
    sum += fromThreadOrMem<{-1, 0}>(a[row * kInner + k], tx == 0) *
           fromThreadOrMem<{0, -1}>(b[k * columns + column], ty == 0);
  }
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_matmul(argc, argv, "dmt/matmul_fixed", matmul_fixed_between_threads,
                               kInner);
}
