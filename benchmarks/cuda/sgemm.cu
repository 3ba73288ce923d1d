// C = alpha A B + beta C in single precision, tiled in registers: a thread holds 16 elements of a
// row of C, and a block of 128 threads shares a tile of B in shared memory. A and C are stored by
// columns, B by rows. Stands for Parboil's sgemm of the gpu-sharing paper: sgemm is SGEMM
// (compute-bound). As there, whether the loop over the rows of a tile is unrolled is the compiler's
// choice; those over the elements in registers must be.
// Usage: sgemm [ROWS, a multiple of 128] [COLUMNS, of 16] [DEPTH, of 8] [SEED]
#include <cstdio>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kTileColumns = 16;                      // elements of C that a thread holds
constexpr int kTileDepth = 8;                         // rows of the tile of B
constexpr int kTileRows = kTileColumns * kTileDepth;  // rows of C, one for each thread

__global__ void sgemm(const float* a, const float* b, float* c, int rows, int columns, int depth,
                      float alpha, float beta) {
  __shared__ float tile[kTileDepth][kTileColumns];
  const int tid = threadIdx.y * kTileColumns + threadIdx.x;
  const int row = blockIdx.x * kTileRows + tid, first_column = blockIdx.y * kTileColumns;
  float sum[kTileColumns] = {};
  for (int k = 0; k < depth; k += kTileDepth) {
    tile[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * columns + first_column + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < kTileDepth; ++i) {
      const float element = a[(k + i) * rows + row];
#pragma unroll
      for (int j = 0; j < kTileColumns; ++j) sum[j] += element * tile[i][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kTileColumns; ++j) {
    float* out = &c[(first_column + j) * rows + row];
    *out = alpha * sum[j] + beta * *out;
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "sgemm [ROWS] [COLUMNS] [DEPTH] [SEED]");
  const int rows = arguments.multiple_of(kTileRows, "ROWS", 512, kTileRows, 1 << 14);
  const int columns = arguments.multiple_of(kTileColumns, "COLUMNS", 512, kTileColumns, 1 << 14);
  const int depth = arguments.multiple_of(kTileDepth, "DEPTH", 128, kTileDepth, 1 << 14);
  Random random(arguments.seed());
  arguments.end();
  constexpr float kAlpha = 1.5f, kBeta = 0.5f;
  const std::vector<float> a = random.floats(static_cast<std::size_t>(rows) * depth, -1, 1);
  const std::vector<float> b = random.floats(static_cast<std::size_t>(depth) * columns, -1, 1);
  const std::vector<float> c = random.floats(static_cast<std::size_t>(rows) * columns, -1, 1);

  DeviceArray<float> device_a(a), device_b(b), device_c(c);
  sgemm<<<dim3(rows / kTileRows, columns / kTileColumns), dim3(kTileColumns, kTileDepth)>>>(
      device_a, device_b, device_c, rows, columns, depth, kAlpha, kBeta);
  check(cudaGetLastError());
  const std::vector<float> result = device_c.to_host();

  std::vector<double> expected(c.size());
  for (int column = 0; column < columns; ++column) {
    double* sums = &expected[static_cast<std::size_t>(column) * rows];
    for (int k = 0; k < depth; ++k) {
      const double factor = kAlpha * b[static_cast<std::size_t>(k) * columns + column];
      const float* column_of_a = &a[static_cast<std::size_t>(k) * rows];
      for (int row = 0; row < rows; ++row) sums[row] += factor * column_of_a[row];
    }
    for (int row = 0; row < rows; ++row)
      sums[row] += kBeta * c[static_cast<std::size_t>(column) * rows + row];
  }
  // Products of random sign: a partial sum grows as the root of its length, and so does the sum of
  // its roundings, which makes `depth` of them in all; alpha, beta and the last addition round too.
  const double tolerance = kAlpha * kFloatRounding * (4 * depth + 4);
  char what[80];
  std::snprintf(what, sizeof what, "sgemm: %d x %d x %d, c[0] = %.7g", rows, columns, depth,
                result[0]);
  return report(what, compare(result, expected, tolerance));
}
