// Product of an N×128 and a 128×M matrix by 16×16 tiles in shared memory: matmul.cu with K known
// when it is compiled, for a comparison with a form between threads that knows it, too.
// Usage: matmul_fixed [N] [M] [SEED]; multiples of 16, M is N where not given
#include "common/matmul.h"

constexpr int kTile = benchmark::kMatmulTile;
constexpr int kInner = 128;

__global__ void matmul_fixed(const float* a, const float* b, float* c, int /*inner*/, int columns) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
#pragma unroll
  for (int t = 0; t < kInner / kTile; ++t) {
    tile_a[ty][tx] = a[row * kInner + t * kTile + tx];
    tile_b[ty][tx] = b[(t * kTile + ty) * columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_matmul(argc, argv, "matmul_fixed", matmul_fixed, kInner);
}
