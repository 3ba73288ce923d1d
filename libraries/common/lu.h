// LU with partial pivoting as a block does it, and one right-hand side as a thread does.
#ifndef RADDLE_LIBRARIES_LU_H
#define RADDLE_LIBRARIES_LU_H

#include "matrix_view.h"

namespace raddle_libraries {

// Columns [0, w) of a panel with m rows, by a block of 128 threads. Pivots count from 1, from
// `first` on. Without pivots rows stay where they are.
template <typename T>
__device__ void factor_panel(int m, int w, T* a, int lda, int first, int* pivots, int* info) {
  __shared__ Real<T> sizes[128];
  __shared__ int rows[128];
  for (int k = 0; k < w && k < m; ++k) {
    int row = k;
    if (pivots != nullptr) {
      Real<T> best = -1;
      for (int i = k + threadIdx.x; i < m; i += 128) {
        const Real<T> size = size_of(a[i + (long long)k * lda]);
        if (size > best) best = size, row = i;
      }
      sizes[threadIdx.x] = best, rows[threadIdx.x] = row;
      __syncthreads();
      for (int half = 64; half > 0; half /= 2) {
        const int other = threadIdx.x + half;
        if (threadIdx.x < half &&
            (sizes[other] > sizes[threadIdx.x] ||
             (sizes[other] == sizes[threadIdx.x] && rows[other] < rows[threadIdx.x])))
          sizes[threadIdx.x] = sizes[other], rows[threadIdx.x] = rows[other];
        __syncthreads();
      }
      row = rows[0];
      if (threadIdx.x == 0) pivots[k] = first + row + 1;
    }
    for (int j = threadIdx.x; row != k && j < w; j += 128) {
      T* column = a + (long long)j * lda;
      const T x = column[k];
      column[k] = column[row], column[row] = x;
    }
    __syncthreads();
    const T pivot = a[k + (long long)k * lda];
    if (pivot == T(0)) {
      if (threadIdx.x == 0 && *info == 0) *info = first + k + 1;
    } else {
      for (int i = k + 1 + threadIdx.x; i < m; i += 128) {
        const T factor = a[i + (long long)k * lda] / pivot;
        a[i + (long long)k * lda] = factor;
        for (int j = k + 1; j < w; ++j)
          a[i + (long long)j * lda] =
              a[i + (long long)j * lda] - factor * a[k + (long long)j * lda];
      }
    }
    __syncthreads();
  }
}

// op(A) x = b for the factors of an A of n rows: x replaces b. Without pivots no rows were swapped.
template <typename T>
__device__ void solve_column(int n, const T* a, int lda, const int* pivots, bool transposes,
                             bool conjugates, T* x) {
  const auto element = [&](int row, int column) {
    const T value = a[row + (long long)column * lda];
    return conjugates ? conjugate(value) : value;
  };
  const auto swap_rows = [&](int i) {
    if (pivots == nullptr) return;
    const T value = x[i];
    x[i] = x[pivots[i] - 1], x[pivots[i] - 1] = value;
  };
  if (!transposes) {
    for (int i = 0; i < n; ++i) swap_rows(i);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) x[i] = x[i] - element(i, j) * x[j];
    for (int i = n; i-- > 0;) {
      for (int j = i + 1; j < n; ++j) x[i] = x[i] - element(i, j) * x[j];
      x[i] = x[i] / element(i, i);
    }
    return;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] = x[i] - element(j, i) * x[j];
    x[i] = x[i] / element(i, i);
  }
  for (int i = n; i-- > 0;)
    for (int j = i + 1; j < n; ++j) x[i] = x[i] - element(j, i) * x[j];
  for (int i = n; i-- > 0;) swap_rows(i);
}

}  // namespace raddle_libraries

#endif
