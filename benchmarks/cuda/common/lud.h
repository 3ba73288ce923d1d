// LU decomposition by blocks: the program around the kernel that updates the blocks below and to
// the right, for its form with shared memory and the one between threads. The kernels for the
// diagonal and for the row and column of blocks that it starts are the same in both.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_LUD_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_LUD_H

#include "benchmark.h"

namespace benchmark {

constexpr int kLudTile = 16;

}  // namespace benchmark

using benchmark::kLudTile;

// One row a thread; step k eliminates column k from the rows below row k.
__global__ void lud_diagonal(float* m, int n, int offset) {
  __shared__ float tile[kLudTile][kLudTile];
  int tid = threadIdx.x;
  float* corner = m + offset * n + offset;
  for (int row = 0; row < kLudTile; ++row) tile[row][tid] = corner[row * n + tid];
  __syncthreads();
  for (int k = 0; k < kLudTile - 1; ++k) {
    if (tid > k) {
      tile[tid][k] /= tile[k][k];
      for (int j = k + 1; j < kLudTile; ++j) tile[tid][j] -= tile[tid][k] * tile[k][j];
    }
    __syncthreads();
  }
  for (int row = 1; row < kLudTile; ++row) corner[row * n + tid] = tile[row][tid];
}

// Each block of threads solves one tile to the right of the diagonal (U = L⁻¹A, a column a thread)
// and one below it (L = AU⁻¹, a row a thread).
__global__ void lud_perimeter(float* m, int n, int offset) {
  __shared__ float diagonal[kLudTile][kLudTile], right[kLudTile][kLudTile],
      below[kLudTile][kLudTile];
  int lane = threadIdx.x % kLudTile, half = threadIdx.x / kLudTile;
  int other = offset + (blockIdx.x + 1) * kLudTile;
  for (int row = half; row < kLudTile; row += 2) {
    diagonal[row][lane] = m[(offset + row) * n + offset + lane];
    right[row][lane] = m[(offset + row) * n + other + lane];
    below[row][lane] = m[(other + row) * n + offset + lane];
  }
  __syncthreads();
  if (half == 0) {
    for (int i = 1; i < kLudTile; ++i)
      for (int k = 0; k < i; ++k) right[i][lane] -= diagonal[i][k] * right[k][lane];
  } else {
    for (int i = 0; i < kLudTile; ++i) {
      for (int k = 0; k < i; ++k) below[lane][i] -= below[lane][k] * diagonal[k][i];
      below[lane][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  for (int row = half; row < kLudTile; row += 2) {
    m[(offset + row) * n + other + lane] = right[row][lane];
    m[(other + row) * n + offset + lane] = below[row][lane];
  }
}

namespace benchmark {

// |L|·|U| and L·U of the two factors that share a matrix; L has ones on its diagonal.
inline void multiply_factors(const std::vector<float>& factors, int n, std::vector<double>& product,
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

// lud_internal(matrix, size, offset): a block of threads for every tile of the rest
template <typename Kernel>
int run_lud(int argc, char** argv, const char* name, Kernel lud_internal) {
  Arguments arguments(argc, argv, name, "[SIZE, a multiple of 16] [SEED]");
  const int n = arguments.multiple_of(kLudTile, "SIZE", 256, kLudTile, 1 << 14);
  Random random(arguments.seed());
  arguments.end();
  // A heavy diagonal needs no pivoting.
  const size_t count = static_cast<size_t>(n) * n;
  std::vector<float> matrix = random.floats(count, -1, 1);
  for (int i = 0; i < n; ++i) matrix[static_cast<size_t>(i) * n + i] += static_cast<float>(n);

  DeviceArray<float> m(matrix);
  for (int offset = 0; offset < n; offset += kLudTile) {
    const int rest = (n - offset) / kLudTile - 1;
    lud_diagonal<<<1, kLudTile>>>(m, n, offset);
    if (rest > 0) {
      lud_perimeter<<<rest, 2 * kLudTile>>>(m, n, offset);
      lud_internal<<<dim3(rest, rest), dim3(kLudTile, kLudTile)>>>(m, n, offset);
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
  return report(compare(product, expected, n * kFloatRounding), "%s: %dx%d", name, n, n);
}

}  // namespace benchmark

#endif
