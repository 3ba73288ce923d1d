// Triangular systems with many right-hand sides: 32 unknowns at a time, one thread per right-hand
// side; the rest of each is brought up to date by a matrix product.
#include "context.h"

namespace raddle_libraries {
namespace {

constexpr int kUnknowns = 32;

template <typename T>
__global__ void diagonal_kernel(int n, int vectors, View<T> a, Target<T> x) {
  __shared__ T coefficients[kUnknowns][kUnknowns + 1];
  const int vector = blockIdx.x * blockDim.x + threadIdx.x;
  const bool forward = a.part == Part::kLower;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    coefficients[i / n][i % n] = a.element(a.data.base, i / n, i % n);
  __syncthreads();
  if (vector >= vectors) return;
  T* place = x.data.base + vector * x.column_step;
  for (int step = 0; step < n; ++step) {
    const int i = forward ? step : n - 1 - step;
    T value = place[i * x.row_step];
    for (int j = forward ? 0 : i + 1; j < (forward ? i : n); ++j)
      value = value - coefficients[i][j] * place[j * x.row_step];
    place[i * x.row_step] = value / coefficients[i][i];
  }
}

template <typename T>
__global__ void scale_kernel(int m, int n, Scalar<T> alpha, T* x, int leading) {
  const T factor = alpha.get();
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= (long long)m * n) return;
  T* place = x + i % m + (i / m) * leading;
  *place = factor == T(0) ? T(0) : factor * *place;
}

template <typename T>
Target<T> shifted(Target<T> x, int row) {
  x.data.base += row * x.row_step;
  return x;
}

template <typename T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,
                    const T* a, int lda, T* b, int ldb) {
  RADDLE_CHECK_HANDLE(handle);
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int order = left ? m : n;
  if (m < 0 || n < 0 || lda < (order > 1 ? order : 1) || ldb < (m > 1 ? m : 1))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  View<T> half =
      applied(triangle(a, lda, part_of(uplo), Mirror::kZero, diag == CUBLAS_DIAG_UNIT), trans);
  Target<T> x = target(b, ldb);
  scale_kernel<<<((long long)m * n + 255) / 256, 256, 0, handle->stream>>>(
      m, n, scalar(handle, alpha), b, ldb);
  if (!left) {  // X op(A) = B is op(A)' X' = B'
    half = transposed(half);
    x.row_step = ldb, x.column_step = 1;
  }
  return status_of(solve_triangle(handle->stream, order, left ? n : m, half, x));
}

}  // namespace

template <typename T>
cudaError_t solve_triangle(cudaStream_t stream, int n, int vectors, View<T> a, Target<T> x) {
  if (n <= 0 || vectors <= 0) return cudaSuccess;
  const bool forward = a.part == Part::kLower;
  const int blocks = (vectors + 63) / 64;
  for (int done = 0; done < n; done += kUnknowns) {
    const int count = n - done < kUnknowns ? n - done : kUnknowns;
    const int first = forward ? done : n - done - count;
    const Target<T> part = shifted(x, first);
    diagonal_kernel<<<blocks, 64, 0, stream>>>(count, vectors, shifted(a, first, first), part);
    const int rest = n - done - count, next = forward ? first + count : 0;
    View<T> solved = {{part.data.base, nullptr, 0}, x.row_step, x.column_step};
    View<T> below = shifted(a, next, first);
    below.part = Part::kFull;  // all of it is stored
    below.unit = false;
    const cudaError_t error = multiply(stream, rest, vectors, count, known_scalar(T(-1)), below,
                                       solved, known_scalar(T(1)), shifted(x, next));
    if (error != cudaSuccess) return error;
  }
  return cudaGetLastError();
}

}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {
#define BODY(X, T)                                                                                \
  cublasStatus_t cublas##X##trsm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                  \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, \
                                 int lda, T* b, int ldb) {                                        \
    return trsm(handle, side, uplo, trans, diag, m, n, numbers(alpha), numbers(a), lda,           \
                numbers(b), ldb);                                                                 \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY
}

#define BODY(X, T)                                                                               \
  template cudaError_t raddle_libraries::solve_triangle(cudaStream_t, int, int, View<Number<T>>, \
                                                        Target<Number<T>>);
RADDLE_FOUR_TYPES(BODY)
#undef BODY
