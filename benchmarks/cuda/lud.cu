// LU decomposition of a square matrix in place, without pivoting, by 16×16 blocks: of the block on
// the diagonal first, then of the row and column of blocks that it starts, then an update of all
// blocks below and to the right, which is a product of tiles in shared memory. That last kernel
// stands for `lud` (lud_internal) of the dMT-CGRA paper. Usage: lud [SIZE, a multiple of 16] [SEED]
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kTile = 16;

// One row a thread; step k eliminates column k from the rows below row k.
__global__ void lud_diagonal(float* m, int n, int offset) {
  __shared__ float tile[kTile][kTile];
  int tid = threadIdx.x;
  float* corner = m + offset * n + offset;
  for (int row = 0; row < kTile; ++row) tile[row][tid] = corner[row * n + tid];
  __syncthreads();
  for (int k = 0; k < kTile - 1; ++k) {
    if (tid > k) {
      tile[tid][k] /= tile[k][k];
      for (int j = k + 1; j < kTile; ++j) tile[tid][j] -= tile[tid][k] * tile[k][j];
    }
    __syncthreads();
  }
  for (int row = 1; row < kTile; ++row) corner[row * n + tid] = tile[row][tid];
}

// Each block of threads solves one tile to the right of the diagonal (U = L⁻¹A, a column a thread)
// and one below it (L = AU⁻¹, a row a thread).
__global__ void lud_perimeter(float* m, int n, int offset) {
  __shared__ float diagonal[kTile][kTile], right[kTile][kTile], below[kTile][kTile];
  int lane = threadIdx.x % kTile, half = threadIdx.x / kTile;
  int other = offset + (blockIdx.x + 1) * kTile;
  for (int row = half; row < kTile; row += 2) {
    diagonal[row][lane] = m[(offset + row) * n + offset + lane];
    right[row][lane] = m[(offset + row) * n + other + lane];
    below[row][lane] = m[(other + row) * n + offset + lane];
  }
  __syncthreads();
  if (half == 0) {
    for (int i = 1; i < kTile; ++i)
      for (int k = 0; k < i; ++k) right[i][lane] -= diagonal[i][k] * right[k][lane];
  } else {
    for (int i = 0; i < kTile; ++i) {
      for (int k = 0; k < i; ++k) below[lane][i] -= below[lane][k] * diagonal[k][i];
      below[lane][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  for (int row = half; row < kTile; row += 2) {
    m[(offset + row) * n + other + lane] = right[row][lane];
    m[(other + row) * n + offset + lane] = below[row][lane];
  }
}

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

// |L|·|U| and L·U of the two factors that share a matrix; L has ones on its diagonal.
void multiply_factors(const std::vector<float>& factors, int n, std::vector<double>& product,
                      std::vector<double>& magnitude) {
  for (int i = 0; i < n; ++i) {
    double* sums = &product[static_cast<size_t>(i) * n];
    double* magnitudes = &magnitude[static_cast<size_t>(i) * n];
    for (int k = 0; k <= i; ++k) {
      const double l = k == i ? 1 : factors[static_cast<size_t>(i) * n + k];
      const float* u = &factors[static_cast<size_t>(k) * n];
      for (int j = k; j < n; ++j) {
        sums[j] += l * u[j];
        magnitudes[j] += std::fabs(l * u[j]);
      }
    }
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "lud [SIZE, a multiple of 16] [SEED]");
  const int n = arguments.multiple_of(kTile, "SIZE", 256, kTile, 1 << 14);
  Random random(arguments.seed());
  arguments.end();
  // A heavy diagonal needs no pivoting.
  const size_t count = static_cast<size_t>(n) * n;
  std::vector<float> matrix = random.floats(count, -1, 1);
  for (int i = 0; i < n; ++i) matrix[static_cast<size_t>(i) * n + i] += static_cast<float>(n);

  DeviceArray<float> m(matrix);
  for (int offset = 0; offset < n; offset += kTile) {
    const int rest = (n - offset) / kTile - 1;
    lud_diagonal<<<1, kTile>>>(m, n, offset);
    if (rest > 0) {
      lud_perimeter<<<rest, 2 * kTile>>>(m, n, offset);
      lud_internal<<<dim3(rest, rest), dim3(kTile, kTile)>>>(m, n, offset);
    }
    check(cudaGetLastError());
  }

  // The factors are right if their product is the matrix. Higham, Accuracy and Stability of
  // Numerical Algorithms, theorem 9.3: it is, up to n roundings of |L|·|U|, in whatever order the
  // sums are taken. So all is compared in units of |L|·|U|.
  std::vector<double> product(count), magnitude(count), expected(count);
  multiply_factors(m.to_host(), n, product, magnitude);
  for (size_t i = 0; i < count; ++i) {
    product[i] /= magnitude[i];
    expected[i] = matrix[i] / magnitude[i];
  }
  return report(compare(product, expected, n * kFloatRounding), "lud: %dx%d", n, n);
}
