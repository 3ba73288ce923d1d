// LU decomposition of a square matrix in place, without pivoting, by 16×16 blocks: of the block on
// the diagonal first, then of the row and column of blocks that it starts, then an update of all
// blocks below and to the right, which is a product of tiles in shared memory. That last kernel
// stands for `lud` (lud_internal) of the dMT-CGRA paper. Usage: lud [SIZE, a multiple of 16] [SEED]
#include "common/lud.h"

constexpr int kTile = benchmark::kLudTile;

__global__ void lud_internal(float* m, int n, int offset) {
  __shared__ float left[kTile][kTile], top[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = offset + (blockIdx.y + 1) * kTile + ty;
  int column = offset + (blockIdx.x + 1) * kTile + tx;
  left[ty][tx] = m[row * n + offset + tx];
  top[ty][tx] = m[(offset + ty) * n + column];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTile; ++k) sum += left[ty][k] * top[k][tx];
  m[row * n + column] -= sum;
}

int main(int argc, char** argv) { return benchmark::run_lud(argc, argv, "lud", lud_internal); }
