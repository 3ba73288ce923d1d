// Product of an N×K and a K×M matrix between threads, as in Figure 2b of the dMT-CGRA paper with
// its slips corrected: the first thread of a row of the block loads the row's elements of A, the
// first of a column those of B, and both are passed on from thread to thread. 16 elements of each
// are unrolled in the loop over K, each a channel of its own. The shared-memory form is
// cuda/matmul.cu. Usage: dmt/matmul [N] [K] [M] [SEED]; multiples of 16, K and M are N where not
// given
#include <raddle/dmt.h>

#include "../cuda/common/matmul.h"

constexpr int kTile = benchmark::kMatmulTile;

__global__ void matmul_between_threads(const float* a, const float* b, float* c, int inner,
                                       int columns) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  const float* a_row = a + row * inner;
  const float* b_column = b + column;
  float sum = 0;
  for (int t = 0; t < inner / kTile; ++t) {
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      sum += fromThreadOrMem<{-1, 0}>(a_row[k], tx == 0) *
             fromThreadOrMem<{0, -1}>(b_column[k * columns], ty == 0);
    }
    a_row += kTile;
    b_column += kTile * columns;
  }
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_matmul(argc, argv, "dmt/matmul", matmul_between_threads);
}
