// C = alpha A B + beta C over views: a tile of C per block, 16 of the inner dimension at a time in
// shared memory, Micro x Micro elements per thread in registers.
#ifndef RADDLE_LIBRARIES_GEMM_H
#define RADDLE_LIBRARIES_GEMM_H

#include "matrix_view.h"

namespace raddle_libraries {

constexpr int kSide = 16;  // threads of a block in each direction, and depth of a tile

// An element of a tile's matrix into shared memory, as what sums are made of; zero outside. Threads
// follow each other along the direction in which memory is contiguous.
template <typename In, typename Sum, int kTile>
__device__ void load_tile(Sum (&tile)[kSide][kTile + 1], const View<In>& view, const In* p,
                          int first, int depth, int count, int depths, bool depth_is_row) {
  const int thread = threadIdx.y * kSide + threadIdx.x;
  const bool along_depth = (depth_is_row ? view.row_step : view.column_step) == 1;
  for (int i = thread; i < kTile * kSide; i += kSide * kSide) {
    const int d = along_depth ? i % kSide : i / kTile;
    const int e = along_depth ? i / kSide : i % kTile;
    Sum x = Sum(0);
    if (first + e < count && depth + d < depths)
      x = Sum(depth_is_row ? view.element(p, depth + d, first + e)
                           : view.element(p, first + e, depth + d));
    tile[d][e] = x;
  }
}

template <typename In, typename Out, typename Sum, int Micro>
__global__ void gemm_kernel(int m, int n, int k, Scalar<Sum> alpha, View<In> a, View<In> b,
                            Scalar<Sum> beta, Target<Out> c, int batches) {
  constexpr int kTile = kSide * Micro;
  __shared__ Sum a_tile[kSide][kTile + 1];
  __shared__ Sum b_tile[kSide][kTile + 1];
  const int first_row = blockIdx.x * kTile, first_column = blockIdx.y * kTile;
  const Sum scale = alpha.get(), old_scale = beta.get();
  const int depths = scale == Sum(0) ? 0 : k;
  for (int batch = blockIdx.z; batch < batches; batch += gridDim.z) {
    Sum sum[Micro][Micro];
#pragma unroll
    for (int i = 0; i < Micro; ++i) {
#pragma unroll
      for (int j = 0; j < Micro; ++j) sum[i][j] = Sum(0);
    }
    const In* a_data = a.data.at(batch);
    const In* b_data = b.data.at(batch);
    for (int depth = 0; depth < depths; depth += kSide) {
      load_tile<In, Sum, kTile>(a_tile, a, a_data, first_row, depth, m, depths, false);
      load_tile<In, Sum, kTile>(b_tile, b, b_data, first_column, depth, n, depths, true);
      __syncthreads();
#pragma unroll 1
      for (int d = 0; d < kSide; ++d) {
        Sum left[Micro], right[Micro];
#pragma unroll
        for (int i = 0; i < Micro; ++i) {
          left[i] = a_tile[d][threadIdx.x + i * kSide];
          right[i] = b_tile[d][threadIdx.y + i * kSide];
        }
#pragma unroll
        for (int i = 0; i < Micro; ++i) {
#pragma unroll
          for (int j = 0; j < Micro; ++j) sum[i][j] = sum[i][j] + left[i] * right[j];
        }
      }
      __syncthreads();
    }
    Out* c_data = c.data.at(batch);
#pragma unroll
    for (int i = 0; i < Micro; ++i) {
#pragma unroll
      for (int j = 0; j < Micro; ++j) {
        const int row = first_row + threadIdx.x + i * kSide;
        const int column = first_column + threadIdx.y + j * kSide;
        if (row >= m || column >= n) continue;
        if (c.part == Part::kLower && row < column) continue;
        if (c.part == Part::kUpper && row > column) continue;
        Out* place = c_data + row * c.row_step + column * c.column_step;
        Sum x = scale * sum[i][j];
        // What C held is not read with beta 0: it may not be a number.
        if (!(old_scale == Sum(0))) x = x + old_scale * Sum(*place);
        if (c.real_diagonal && row == column) x = Sum(real_part(x));
        *place = Out(x);
      }
    }
  }
}

template <typename In, typename Out, typename Sum>
cudaError_t gemm(cudaStream_t stream, int m, int n, int k, Scalar<Sum> alpha, View<In> a,
                 View<In> b, Scalar<Sum> beta, Target<Out> c, int batches = 1) {
  if (m <= 0 || n <= 0 || batches <= 0) return cudaSuccess;
  const dim3 block(kSide, kSide);
  const int layers = batches < 65535 ? batches : 65535;
  const bool small = m <= 32 || n <= 32;
  // More would not leave registers for a block.
  constexpr int kMicro = sizeof(Sum) > 8 ? 1 : sizeof(Sum) > 4 ? 2 : 4;
  const int tile = small ? kSide : kMicro * kSide;
  const dim3 grid((m + tile - 1) / tile, (n + tile - 1) / tile, layers);
  if (small) {
    gemm_kernel<In, Out, Sum, 1>
        <<<grid, block, 0, stream>>>(m, n, k, alpha, a, b, beta, c, batches);
  } else {
    gemm_kernel<In, Out, Sum, kMicro>
        <<<grid, block, 0, stream>>>(m, n, k, alpha, a, b, beta, c, batches);
  }
  return cudaGetLastError();
}

// Compiled once, in cublas/gemm.cu, for the four types of BLAS.
template <typename T>
cudaError_t multiply(cudaStream_t stream, int m, int n, int k, Scalar<T> alpha, View<T> a,
                     View<T> b, Scalar<T> beta, Target<T> c, int batches = 1);

// Solves op(A) X = B, B becoming X, for many right-hand sides: in cublas/trsm.cu. `a` is op(A), a
// triangle of n rows; `x` has n rows and `vectors` columns.
template <typename T>
cudaError_t solve_triangle(cudaStream_t stream, int n, int vectors, View<T> a, Target<T> x);

}  // namespace raddle_libraries

#endif
