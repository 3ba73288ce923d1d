// LU decomposition of a square matrix by 16×16 blocks, with the update of the blocks below and to
// the right between threads: the product of Figure 2b of the dMT-CGRA paper with its slips
// corrected, which that paper uses here, too. Rows of the left tile and columns of the top tile are
// loaded once and passed on. The shared-memory form is cuda/lud.cu, whose other two kernels this
// one shares. Usage: dmt/lud [SIZE, a multiple of 16] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/lud.h"

constexpr int kTile = benchmark::kLudTile;

__global__ void lud_internal_between_threads(float* m, int n, int offset) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = offset + (blockIdx.y + 1) * kTile + ty;
  int column = offset + (blockIdx.x + 1) * kTile + tx;
  const float* left = m + row * n + offset;
  const float* top = m + offset * n + column;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTile; ++k) {
    sum +=
        fromThreadOrMem<{-1, 0}>(left[k], tx == 0) * fromThreadOrMem<{0, -1}>(top[k * n], ty == 0);
  }
  m[row * n + column] -= sum;
}

int main(int argc, char** argv) {
  return benchmark::run_lud(argc, argv, "dmt/lud", lud_internal_between_threads);
}
