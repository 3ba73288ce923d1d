// Many small systems: a block per matrix, a thread per right-hand side. And sums of matrices and
// products with diagonal ones.
#include "../common/lu.h"
#include "context.h"

namespace raddle_libraries {
namespace {

template <typename T>
__global__ void factor_kernel(int n, T* const* a, int lda, int* pivots, int* info) {
  const int batch = blockIdx.x;
  if (threadIdx.x == 0) info[batch] = 0;
  __syncthreads();
  factor_panel(n, n, a[batch], lda, 0, pivots == nullptr ? nullptr : pivots + (long long)batch * n,
               info + batch);
}

template <typename T>
__global__ void solve_kernel(int n, int vectors, const T* const* a, int lda, const int* pivots,
                             bool transposes, bool conjugates, T* const* b, int ldb) {
  const int batch = blockIdx.x;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x)
    solve_column(n, a[batch], lda, pivots == nullptr ? nullptr : pivots + (long long)batch * n,
                 transposes, conjugates, b[batch] + (long long)i * ldb);
}

// A's factors, or A itself in `copies`, which is factored here; the inverse goes to `c`.
template <typename T>
__global__ void invert_kernel(int n, const T* const* a, int lda, const int* pivots, T* copies,
                              int* own_pivots, T* const* c, int ldc, int* info) {
  const int batch = blockIdx.x;
  const T* factors = a[batch];
  if (pivots != nullptr) pivots += (long long)batch * n;
  if (threadIdx.x == 0) info[batch] = 0;
  __syncthreads();
  if (copies != nullptr) {
    T* copy = copies + (long long)batch * n * n;
    for (int i = threadIdx.x; i < n * n; i += 128)
      copy[i] = factors[i % n + (long long)(i / n) * lda];
    __syncthreads();
    factor_panel(n, n, copy, n, 0, own_pivots + (long long)batch * n, info + batch);
    factors = copy, lda = n, pivots = own_pivots + (long long)batch * n;
  } else if (threadIdx.x == 0) {
    for (int i = n; i-- > 0;)
      if (factors[i + (long long)i * lda] == T(0)) info[batch] = i + 1;
  }
  __syncthreads();
  if (info[batch] != 0) return;
  for (int j = threadIdx.x; j < n; j += 128) {
    T* column = c[batch] + (long long)j * ldc;
    for (int i = 0; i < n; ++i) column[i] = i == j ? T(1) : T(0);
    solve_column(n, factors, lda, pivots, false, false, column);
  }
}

// min |A x - b| by Householder's reflectors, m >= n, of full rank: a thread per column of A and C.
template <typename T>
__global__ void least_squares_kernel(int m, int n, int vectors, T* const* as, int lda, T* const* cs,
                                     int ldc, int* info) {
  __shared__ T tau;
  T *a = as[blockIdx.x], *c = cs[blockIdx.x];
  if (threadIdx.x == 0) info[blockIdx.x] = 0;
  for (int k = 0; k < n; ++k) {
    T* v = a + (long long)k * lda;
    if (threadIdx.x == 0) {
      double below = 0;
      for (int i = k + 1; i < m; ++i) below += real_part(conjugate(v[i]) * v[i]);
      const T first = v[k];
      const double all = below + real_part(conjugate(first) * first);
      tau = T(0);
      if (all == 0) {
        if (info[blockIdx.x] == 0) info[blockIdx.x] = k + 1;
      } else if (below > 0 || imaginary_part(first) != 0) {
        const T beta = T(Real<T>(real_part(first) >= 0 ? -sqrt(all) : sqrt(all)));
        const T scale = T(1) / (first - beta);
        for (int i = k + 1; i < m; ++i) v[i] = v[i] * scale;
        tau = (beta - first) / beta;
        v[k] = beta;
      }
    }
    __syncthreads();
    for (int j = threadIdx.x; j < n - k - 1 + vectors; j += blockDim.x) {
      const bool right = j >= n - k - 1;
      T* column = right ? c + (long long)(j - (n - k - 1)) * ldc : a + (long long)(k + 1 + j) * lda;
      T sum = column[k];
      for (int i = k + 1; i < m; ++i) sum = sum + conjugate(v[i]) * column[i];
      sum = conjugate(tau) * sum;
      column[k] = column[k] - sum;
      for (int i = k + 1; i < m; ++i) column[i] = column[i] - sum * v[i];
    }
    __syncthreads();
  }
  if (info[blockIdx.x] != 0) return;
  for (int j = threadIdx.x; j < vectors; j += blockDim.x) {
    T* x = c + (long long)j * ldc;
    for (int i = n; i-- > 0;) {
      for (int l = i + 1; l < n; ++l) x[i] = x[i] - a[i + (long long)l * lda] * x[l];
      x[i] = x[i] / a[i + (long long)i * lda];
    }
  }
}

template <typename T>
__global__ void add_kernel(int m, int n, Scalar<T> alpha, View<T> a, Scalar<T> beta, View<T> b,
                           T* c, int ldc) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= (long long)m * n) return;
  const int row = i % m, column = i / m;
  T sum = T(0);  // a matrix whose factor is 0 need not be there
  if (!(alpha.get() == T(0))) sum = alpha.get() * a.element(a.data.base, row, column);
  if (!(beta.get() == T(0))) sum = sum + beta.get() * b.element(b.data.base, row, column);
  c[row + (long long)column * ldc] = sum;
}

template <typename T>
__global__ void diagonal_kernel(int m, int n, bool left, const T* a, int lda, const T* x, int incx,
                                T* c, int ldc) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= (long long)m * n) return;
  const long long row = i % m, column = i / m;
  c[row + column * ldc] = x[(left ? row : column) * incx] * a[row + column * lda];
}

template <typename T>
cublasStatus_t invert(cublasHandle_t handle, int n, const T* const* a, int lda, const int* pivots,
                      bool factors, T* const* c, int ldc, int* info, int batches) {
  RADDLE_CHECK_HANDLE(handle);
  if (n < 0 || batches < 0 || lda < (n > 1 ? n : 1) || ldc < (n > 1 ? n : 1))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
  T* copies = nullptr;
  if (factors) {
    copies = (T*)workspace(handle, (size_t)batches * n * (n * sizeof(T) + sizeof(int)));
    if (copies == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  }
  invert_kernel<<<batches, 128, 0, handle->stream>>>(
      n, a, lda, pivots, copies, (int*)(copies + (size_t)batches * n * n), c, ldc, info);
  return status_of(cudaGetLastError());
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

#define BODY(X, T)                                                                                 \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,      \
                                         int* pivots, int* info, int batches) {                    \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    if (n < 0 || batches < 0 || lda < (n > 1 ? n : 1)) return CUBLAS_STATUS_INVALID_VALUE;         \
    if (batches > 0)                                                                               \
      factor_kernel<<<batches, 128, 0, handle->stream>>>(n, numbers(a), lda, pivots, info);        \
    return status_of(cudaGetLastError());                                                          \
  }                                                                                                \
  cublasStatus_t cublas##X##getrsBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t trans, int n, int vectors, const T* const a[],      \
      int lda, const int* pivots, T* const b[], int ldb, int* info, int batches) {                 \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    *info = 0;                                                                                     \
    if (n < 0 || vectors < 0 || batches < 0 || lda < (n > 1 ? n : 1) || ldb < (n > 1 ? n : 1))     \
      return CUBLAS_STATUS_INVALID_VALUE;                                                          \
    if (batches > 0)                                                                               \
      solve_kernel<<<batches, 64, 0, handle->stream>>>(n, vectors, numbers(a), lda, pivots,        \
                                                       trans != CUBLAS_OP_N, trans == CUBLAS_OP_C, \
                                                       numbers(b), ldb);                           \
    return status_of(cudaGetLastError());                                                          \
  }                                                                                                \
  cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T* const a[],         \
                                         int lda, const int* pivots, T* const c[], int ldc,        \
                                         int* info, int batches) {                                 \
    return invert(handle, n, numbers(a), lda, pivots, false, numbers(c), ldc, info, batches);      \
  }                                                                                                \
  cublasStatus_t cublas##X##matinvBatched(cublasHandle_t handle, int n, const T* const a[],        \
                                          int lda, T* const c[], int ldc, int* info,               \
                                          int batches) {                                           \
    if (n > 32) return CUBLAS_STATUS_INVALID_VALUE;                                                \
    return invert(handle, n, numbers(a), lda, nullptr, true, numbers(c), ldc, info, batches);      \
  }                                                                                                \
  cublasStatus_t cublas##X##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m,     \
                                        int n, int vectors, T* const a[], int lda, T* const c[],   \
                                        int ldc, int* info, int* infos, int batches) {             \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    *info = 0;                                                                                     \
    if (trans != CUBLAS_OP_N || m < n) return not_supported("gels of a wide or transposed A");     \
    if (n < 0 || vectors < 0 || batches < 0 || lda < (m > 1 ? m : 1) || ldc < (m > 1 ? m : 1))     \
      return CUBLAS_STATUS_INVALID_VALUE;                                                          \
    int* places = infos != nullptr ? infos : (int*)workspace(handle, batches * sizeof(int));       \
    if (batches > 0)                                                                               \
      least_squares_kernel<<<batches, 64, 0, handle->stream>>>(m, n, vectors, numbers(a), lda,     \
                                                               numbers(c), ldc, places);           \
    return status_of(cudaGetLastError());                                                          \
  }                                                                                                \
  cublasStatus_t cublas##X##geam(                                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {    \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    if (m < 0 || n < 0 || ldc < (m > 1 ? m : 1)) return CUBLAS_STATUS_INVALID_VALUE;               \
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                            \
    add_kernel<<<((long long)m * n + 255) / 256, 256, 0, handle->stream>>>(                        \
        m, n, scalar(handle, numbers(alpha)), applied(view(numbers(a), lda), transa),              \
        scalar(handle, numbers(beta)), applied(view(numbers(b), ldb), transb), numbers(c), ldc);   \
    return status_of(cudaGetLastError());                                                          \
  }                                                                                                \
  cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,       \
                                 const T* a, int lda, const T* x, int incx, T* c, int ldc) {       \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || ldc < (m > 1 ? m : 1))                          \
      return CUBLAS_STATUS_INVALID_VALUE;                                                          \
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                            \
    const bool left = side == CUBLAS_SIDE_LEFT;                                                    \
    diagonal_kernel<<<((long long)m * n + 255) / 256, 256, 0, handle->stream>>>(                   \
        m, n, left, numbers(a), lda, first_element(numbers(x), left ? m : n, incx), incx,          \
        numbers(c), ldc);                                                                          \
    return status_of(cudaGetLastError());                                                          \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

}  // extern "C"
