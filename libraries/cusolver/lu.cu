// LU with partial pivoting and Cholesky, 32 columns at a time: one block factors a panel, then a
// triangular system and a product bring the rest up to date.
#include "../common/lu.h"
#include "context.h"

namespace raddle_cusolver {
namespace {

template <typename T>
__global__ void panel_kernel(int m, int w, T* a, int lda, int first, int* pivots, int* info) {
  factor_panel(m, w, a, lda, first, pivots, info);
}

// Rows [first, last) change places with their pivots, forward or back; a thread per column.
template <typename T>
void swap_rows(cudaStream_t stream, int columns, T* a, int lda, const int* pivots, int first,
               int last, bool back) {
  if (pivots == nullptr) return;
  each(stream, columns, [=] __device__(long long column) {
    T* c = a + column * lda;
    for (int step = first; step < last; ++step) {
      const int i = back ? last - 1 - (step - first) : step, j = pivots[i] - 1;
      const T x = c[i];
      c[i] = c[j], c[j] = x;
    }
  });
}

template <typename T>
cusolverStatus_t getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, int* pivots,
                       int* info) {
  RADDLE_CHECK_HANDLE(handle);
  if (n < 0 || !is_leading(lda, m)) return CUSOLVER_STATUS_INVALID_VALUE;
  const cudaStream_t stream = handle->stream;
  cudaMemsetAsync(info, 0, sizeof(int), stream);
  const int smaller = m < n ? m : n;
  for (int k = 0; k < smaller; k += kPanel) {
    const int w = smaller - k < kPanel ? smaller - k : kPanel;
    T* corner = a + k + (long long)k * lda;
    panel_kernel<<<1, 128, 0, stream>>>(m - k, w, corner, lda, k,
                                        pivots == nullptr ? nullptr : pivots + k, info);
    const int right = n - k - w, below = m - k - w;
    swap_rows(stream, k, a, lda, pivots, k, k + w, false);
    T* beside = corner + (long long)w * lda;
    swap_rows(stream, right, a + (long long)(k + w) * lda, lda, pivots, k, k + w, false);
    if (right == 0) continue;
    solve_triangle(stream, w, right, triangle<T>(corner, lda, Part::kLower, Mirror::kZero, true),
                   target(beside, lda));
    if (below > 0)
      multiply(stream, below, right, w, known_scalar(T(-1)), view<T>(corner + w, lda),
               view<T>(beside, lda), known_scalar(T(1)), target(beside + w, lda));
  }
  return status_of(cudaGetLastError());
}

template <typename T>
cusolverStatus_t getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int vectors,
                       const T* a, int lda, const int* pivots, T* b, int ldb, int* info) {
  RADDLE_CHECK_HANDLE(handle);
  if (vectors < 0 || !is_leading(lda, n) || !is_leading(ldb, n))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const cudaStream_t stream = handle->stream;
  cudaMemsetAsync(info, 0, sizeof(int), stream);
  if (n == 0 || vectors == 0) return CUSOLVER_STATUS_SUCCESS;
  const View<T> lower = applied(triangle(a, lda, Part::kLower, Mirror::kZero, true), trans);
  const View<T> upper = applied(triangle(a, lda, Part::kUpper, Mirror::kZero), trans);
  const bool plain = trans == CUBLAS_OP_N;
  if (plain) swap_rows(stream, vectors, b, ldb, pivots, 0, n, false);
  solve_triangle(stream, n, vectors, plain ? lower : upper, target(b, ldb));
  solve_triangle(stream, n, vectors, plain ? upper : lower, target(b, ldb));
  if (!plain) swap_rows(stream, vectors, b, ldb, pivots, 0, n, true);
  return status_of(cudaGetLastError());
}

// The Cholesky factor of a block of at most 32 rows, a thread per row. An upper factor is the
// adjoint of the lower one.
template <typename T>
__global__ void cholesky_kernel(int n, T* a, int lda, bool upper, int first, int* info) {
  __shared__ T block[kPanel][kPanel + 1];
  const int i = threadIdx.x;
  if (i < n) {
    for (int j = 0; j <= i; ++j)
      block[i][j] = upper ? conjugate(a[j + (long long)i * lda]) : a[i + (long long)j * lda];
  }
  __syncthreads();
  if (*info != 0) return;  // of a block before
  __shared__ bool good;
  for (int k = 0; k < n; ++k) {
    if (i == k) {
      const Real<T> square = real_part(block[k][k]);
      good = square > 0;
      if (good) block[k][k] = T(sqrt(square));
      if (!good) *info = first + k + 1;
    }
    __syncthreads();
    if (!good) break;
    if (i > k && i < n) block[i][k] = block[i][k] / block[k][k];
    __syncthreads();
    if (i > k && i < n) {
      for (int j = k + 1; j <= i; ++j)
        block[i][j] = block[i][j] - block[i][k] * conjugate(block[j][k]);
    }
    __syncthreads();
  }
  if (i >= n) return;
  for (int j = 0; j <= i; ++j) {
    if (upper) {
      a[j + (long long)i * lda] = conjugate(block[i][j]);
    } else {
      a[i + (long long)j * lda] = block[i][j];
    }
  }
}

template <typename T>
cusolverStatus_t potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda,
                       int* info) {
  RADDLE_CHECK_HANDLE(handle);
  if (!is_leading(lda, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  const cudaStream_t stream = handle->stream;
  const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
  cudaMemsetAsync(info, 0, sizeof(int), stream);
  for (int k = 0; k < n; k += kPanel) {
    const int w = n - k < kPanel ? n - k : kPanel, rest = n - k - w;
    T* corner = a + k + (long long)k * lda;
    cholesky_kernel<<<1, kPanel, 0, stream>>>(w, corner, lda, upper, k, info);
    if (rest == 0) break;
    Target<T> last = target(corner + w + (long long)w * lda, lda);
    last.part = upper ? Part::kUpper : Part::kLower;
    last.real_diagonal = true;
    View<T> edge;
    if (upper) {  // U12 solves U11' U12 = A12
      T* beside = corner + (long long)w * lda;
      solve_triangle(stream, w, rest,
                     transposed(triangle<T>(corner, lda, Part::kUpper, Mirror::kZero), true),
                     target(beside, lda));
      edge = transposed(view<T>(beside, lda), true);
    } else {  // L21 solves L21 L11' = A21: transposed, the conjugate of L11 is on the left
      View<T> half = triangle<T>(corner, lda, Part::kLower, Mirror::kZero);
      half.conjugated = true;
      solve_triangle(stream, w, rest, half, Target<T>{{corner + w, nullptr, 0}, lda, 1});
      edge = view<T>(corner + w, lda);
    }
    multiply(stream, rest, rest, w, known_scalar(T(-1)), edge, transposed(edge, true),
             known_scalar(T(1)), last);
  }
  return status_of(cudaGetLastError());
}

template <typename T>
cusolverStatus_t potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int vectors,
                       const T* a, int lda, T* b, int ldb, int* info) {
  RADDLE_CHECK_HANDLE(handle);
  if (vectors < 0 || !is_leading(lda, n) || !is_leading(ldb, n))
    return CUSOLVER_STATUS_INVALID_VALUE;
  cudaMemsetAsync(info, 0, sizeof(int), handle->stream);
  if (n == 0 || vectors == 0) return CUSOLVER_STATUS_SUCCESS;
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  const View<T> half = triangle(a, lda, lower ? Part::kLower : Part::kUpper, Mirror::kZero);
  const View<T> adjoint = transposed(half, true);
  solve_triangle(handle->stream, n, vectors, lower ? half : adjoint, target(b, ldb));
  solve_triangle(handle->stream, n, vectors, lower ? adjoint : half, target(b, ldb));
  return status_of(cudaGetLastError());
}

cusolverStatus_t no_buffer(cusolverDnHandle_t handle, int* elements) {
  RADDLE_CHECK_HANDLE(handle);
  *elements = 1;  // not used; programs allocate it
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace
}  // namespace raddle_cusolver

using namespace raddle_cusolver;

extern "C" {

#define BODY(X, T, R, ORM, ORG, SY)                                                                \
  cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int, int, T*, int,   \
                                                   int* elements) {                                \
    return no_buffer(handle, elements);                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda,    \
                                        T*, int* pivots, int* info) {                              \
    return getrf(handle, m, n, numbers(a), lda, pivots, info);                                     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, \
                                        int vectors, const T* a, int lda, const int* pivots, T* b, \
                                        int ldb, int* info) {                                      \
    return getrs(handle, trans, n, vectors, numbers(a), lda, pivots, numbers(b), ldb, info);       \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t,    \
                                                   int, T*, int, int* elements) {                  \
    return no_buffer(handle, elements);                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T* a, int lda, T*, int, int* info) {                       \
    return potrf(handle, uplo, n, numbers(a), lda, info);                                          \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        int vectors, const T* a, int lda, T* b, int ldb,           \
                                        int* info) {                                               \
    return potrs(handle, uplo, n, vectors, numbers(a), lda, numbers(b), ldb, info);                \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

}  // extern "C"
