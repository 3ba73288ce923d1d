// Gaussian elimination without pivoting: for each column, one kernel computes the multipliers of
// the rows below the diagonal, a second subtracts the multiples; the host substitutes backwards.
// Stands for Rodinia's gaussian of the gpu-sharing paper: fan1 is GAUS1 (few threads, strided, low
// IPC), fan2 GAUS2.
// Usage: gaussian [SIZE] [SEED]
#include <cstdio>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock1 = 512;
constexpr int kBlock2 = 4;  // a block of fan2 is 4 x 4 threads: half a warp

__global__ void fan1(const float* a, float* multiplier, int n, int pivot) {
  int below = blockIdx.x * kBlock1 + threadIdx.x;
  if (below >= n - 1 - pivot) return;
  int row = pivot + 1 + below;
  multiplier[row * n + pivot] = a[row * n + pivot] / a[pivot * n + pivot];
}

// Neighbouring threads in x are neighbouring rows, as in the original: their elements lie a row
// apart.
__global__ void fan2(const float* multiplier, float* a, float* b, int n, int pivot) {
  int below = blockIdx.x * kBlock2 + threadIdx.x, right = blockIdx.y * kBlock2 + threadIdx.y;
  if (below >= n - 1 - pivot || right >= n - pivot) return;
  int row = pivot + 1 + below, column = pivot + right;
  float factor = multiplier[row * n + pivot];
  a[row * n + column] -= factor * a[pivot * n + column];
  if (right == 0) b[row] -= factor * b[pivot];
}

// Solves by elimination with partial pivoting, by rows, in double.
std::vector<double> solve_on_host(const std::vector<float>& matrix, const std::vector<float>& right,
                                  int n) {
  std::vector<std::vector<double>> rows(n);
  for (int i = 0; i < n; ++i) {
    rows[i].assign(matrix.begin() + i * n, matrix.begin() + (i + 1) * n);
    rows[i].push_back(right[i]);
  }
  std::vector<double> x(n);
  for (int i = 0; i < n; ++i) {
    int best = i;
    for (int r = i + 1; r < n; ++r)
      if (std::fabs(rows[r][i]) > std::fabs(rows[best][i])) best = r;
    std::swap(rows[i], rows[best]);
    for (int r = i + 1; r < n; ++r) {
      const double factor = rows[r][i] / rows[i][i];
      for (int c = i; c <= n; ++c) rows[r][c] -= factor * rows[i][c];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] = rows[i][n];
    for (int c = i + 1; c < n; ++c) x[i] -= rows[i][c] * x[c];
    x[i] /= rows[i][i];
  }
  return x;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "gaussian [SIZE] [SEED]");
  const int n = arguments.number("SIZE", 128, 1, 4096);
  Random random(arguments.seed());
  arguments.end();
  // The diagonal outweighs its row and its column: no pivoting is needed, and errors do not grow.
  const std::size_t cells = static_cast<std::size_t>(n) * n;
  std::vector<float> matrix = random.floats(cells, -1, 1);
  for (int i = 0; i < n; ++i) matrix[i * n + i] = static_cast<float>(n) + random.uniform(0, 1);
  const std::vector<float> right = random.floats(n, -1, 1);

  DeviceArray<float> a(matrix), b(right), multiplier(cells);
  const dim3 grid2(blocks_for(n, kBlock2), blocks_for(n, kBlock2)), block2(kBlock2, kBlock2);
  for (int pivot = 0; pivot < n - 1; ++pivot) {
    fan1<<<blocks_for(n, kBlock1), kBlock1>>>(a, multiplier, n, pivot);
    check(cudaGetLastError());
    fan2<<<grid2, block2>>>(multiplier, a, b, n, pivot);
    check(cudaGetLastError());
  }
  const std::vector<float> upper = a.to_host(), reduced = b.to_host();
  std::vector<float> x(n);
  for (int i = n - 1; i >= 0; --i) {
    float sum = reduced[i];
    for (int c = i + 1; c < n; ++c) sum -= upper[i * n + c] * x[c];
    x[i] = sum / upper[i * n + i];
  }

  // The largest elements, those of the diagonal, are rounded once a column with random signs; with
  // such a diagonal neither elimination nor substitution makes the errors grow.
  const std::vector<double> expected = solve_on_host(matrix, right, n);
  double largest = 0;
  for (double value : expected) largest = std::max(largest, std::fabs(value));
  char what[80];
  std::snprintf(what, sizeof what, "gaussian: %d x %d, x[0] = %.7g", n, n, x[0]);
  return report(what, compare(x, expected, 8 * std::sqrt(n) * kFloatRounding * largest));
}
