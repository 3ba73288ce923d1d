// Product of an N×K and a K×M matrix by 16×16 tiles in shared memory, with a barrier before and
// after each tile's use. Stands for `matrixMul` of the dMT-CGRA paper.
// Usage: matmul [N] [K] [M] [SEED]; multiples of 16, K and M are N where not given
#include "common/matmul.h"

constexpr int kTile = benchmark::kMatmulTile;

__global__ void matmul(const float* a, const float* b, float* c, int inner, int columns) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int t = 0; t < inner / kTile; ++t) {
    tile_a[ty][tx] = a[row * inner + t * kTile + tx];
    tile_b[ty][tx] = b[(t * kTile + ty) * columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) { return benchmark::run_matmul(argc, argv, "matmul", matmul); }
