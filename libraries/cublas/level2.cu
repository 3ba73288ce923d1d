// Matrix times vector over views: a thread per row where columns are contiguous, a warp per row
// where rows are. Updates by outer products are matrix products of depth 1.
#include "context.h"

namespace raddle_libraries {
namespace {

template <typename T>
__global__ void rows_kernel(int m, int n, Scalar<T> alpha, View<T> a, View<T> x, Scalar<T> beta,
                            Target<T> y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  const T* vector = x.data.at(0);
  T sum = T(0);
  for (int i = 0; i < n; ++i) sum = sum + a.element(a.data.base, row, i) * vector[i * x.row_step];
  T* place = y.data.base + row * y.row_step;
  T result = alpha.get() * sum;
  if (!(beta.get() == T(0))) result = result + beta.get() * *place;
  *place = result;
}

template <typename T>
__global__ void warps_kernel(int m, int n, Scalar<T> alpha, View<T> a, View<T> x, Scalar<T> beta,
                             Target<T> y) {
  __shared__ T sums[8][32];
  const int row = blockIdx.x * 8 + threadIdx.y;
  T sum = T(0);
  if (row < m) {
    for (int i = threadIdx.x; i < n; i += 32)
      sum = sum + a.element(a.data.base, row, i) * x.data.base[i * x.row_step];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.y][threadIdx.x] =
          sums[threadIdx.y][threadIdx.x] + sums[threadIdx.y][threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x != 0 || row >= m) return;
  T* place = y.data.base + row * y.row_step;
  T result = alpha.get() * sums[threadIdx.y][0];
  if (!(beta.get() == T(0))) result = result + beta.get() * *place;
  *place = result;
}

template <typename T>
cublasStatus_t multiply_vector(cublasHandle_t handle, int m, int n, Scalar<T> alpha, View<T> a,
                               View<T> x, Scalar<T> beta, T* y, int incy) {
  if (m <= 0) return CUBLAS_STATUS_SUCCESS;
  const Target<T> result = {{first_element(y, m, incy), nullptr, 0}, incy, 0};
  if (a.row_step == 1) {
    rows_kernel<<<(m + 127) / 128, 128, 0, handle->stream>>>(m, n, alpha, a, x, beta, result);
  } else {
    warps_kernel<<<(m + 7) / 8, dim3(32, 8), 0, handle->stream>>>(m, n, alpha, a, x, beta, result);
  }
  return status_of(cudaGetLastError());
}

template <typename T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,
                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  RADDLE_CHECK_HANDLE(handle);
  if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || incx == 0 || incy == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
  return multiply_vector(handle, rows, columns, scalar(handle, alpha), applied(view(a, lda), trans),
                         column(x, columns, incx), scalar(handle, beta), y, incy);
}

template <typename T>
cublasStatus_t symv(cublasHandle_t handle, cublasFillMode_t uplo, Mirror mirror, int n,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
  RADDLE_CHECK_HANDLE(handle);
  if (n < 0 || lda < (n > 1 ? n : 1) || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  return multiply_vector(handle, n, n, scalar(handle, alpha),
                         triangle(a, lda, part_of(uplo), mirror), column(x, n, incx),
                         scalar(handle, beta), y, incy);
}

// A band is a matrix whose columns follow each other at a distance of lda - 1.
template <typename T>
__global__ void band_kernel(int m, int n, int below, int above, Scalar<T> alpha, const T* a,
                            int lda, bool transposes, bool conjugates, const T* x, long long incx,
                            Scalar<T> beta, T* y, long long incy) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= (transposes ? n : m)) return;
  const int before = transposes ? above : below, after = transposes ? below : above;
  const int first = row - before > 0 ? row - before : 0;
  const int count = transposes ? m : n;
  T sum = T(0);
  for (int i = first; i < count && i <= row + after; ++i) {
    const int r = transposes ? i : row, c = transposes ? row : i;
    const T element = a[above + r - c + (long long)c * lda];
    sum = sum + (conjugates ? conjugate(element) : element) * x[i * incx];
  }
  T result = alpha.get() * sum;
  if (!(beta.get() == T(0))) result = result + beta.get() * y[row * incy];
  y[row * incy] = result;
}

template <typename T>
cublasStatus_t gbmv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
  RADDLE_CHECK_HANDLE(handle);
  if (m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1) return CUBLAS_STATUS_INVALID_VALUE;
  const bool transposes = trans != CUBLAS_OP_N;
  const int rows = transposes ? n : m, columns = transposes ? m : n;
  if (rows == 0) return CUBLAS_STATUS_SUCCESS;
  band_kernel<<<(rows + 127) / 128, 128, 0, handle->stream>>>(
      m, n, kl, ku, scalar(handle, alpha), a, lda, transposes, trans == CUBLAS_OP_C,
      first_element(x, columns, incx), incx, scalar(handle, beta), first_element(y, rows, incy),
      incy);
  return status_of(cudaGetLastError());
}

// In place: from a copy of the vector.
template <typename T>
cublasStatus_t trmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* a, int lda, T* x, int incx) {
  RADDLE_CHECK_HANDLE(handle);
  if (n <= 0) return n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
  T* copy = (T*)workspace(handle, n * sizeof(T));
  if (copy == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  const size_t pitch = (size_t)(incx < 0 ? -incx : incx) * sizeof(T);
  cudaMemcpy2DAsync(copy, sizeof(T), x, pitch, sizeof(T), n, cudaMemcpyDeviceToDevice,
                    handle->stream);
  return multiply_vector(
      handle, n, n, known_scalar(T(1)),
      applied(triangle(a, lda, part_of(uplo), Mirror::kZero, diag == CUBLAS_DIAG_UNIT), trans),
      column(copy, n, incx < 0 ? -1 : 1), known_scalar(T(0)), x, incx);
}

template <typename T>
cublasStatus_t trsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* a, int lda, T* x, int incx) {
  RADDLE_CHECK_HANDLE(handle);
  if (n < 0 || incx == 0) return CUBLAS_STATUS_INVALID_VALUE;
  return status_of(solve_triangle(
      handle->stream, n, 1,
      applied(triangle(a, lda, part_of(uplo), Mirror::kZero, diag == CUBLAS_DIAG_UNIT), trans),
      Target<T>{{first_element(x, n, incx), nullptr, 0}, incx, 0}));
}

// A += alpha x y' in the triangle `part`, or everywhere.
template <typename T>
cublasStatus_t outer(cublasHandle_t handle, Part part, int m, int n, Scalar<T> alpha, const T* x,
                     int incx, const T* y, int incy, bool conjugates, T* a, int lda) {
  if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || incx == 0 || incy == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  Target<T> result = target(a, lda);
  result.part = part;
  result.real_diagonal = conjugates && part != Part::kFull;
  return status_of(multiply(handle->stream, m, n, 1, alpha, column(x, m, incx),
                            transposed(column(y, n, incy), conjugates), known_scalar(T(1)),
                            result));
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

#define BODY(X, T)                                                                                 \
  cublasStatus_t cublas##X##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,        \
                                 const T* beta, T* y, int incy) {                                  \
    return gemv(handle, trans, m, n, numbers(alpha), numbers(a), lda, numbers(x), incx,            \
                numbers(beta), numbers(y), incy);                                                  \
  }                                                                                                \
  cublasStatus_t cublas##X##gbmv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 int kl, int ku, const T* alpha, const T* a, int lda, const T* x,  \
                                 int incx, const T* beta, T* y, int incy) {                        \
    return gbmv(handle, trans, m, n, kl, ku, numbers(alpha), numbers(a), lda, numbers(x), incx,    \
                numbers(beta), numbers(y), incy);                                                  \
  }                                                                                                \
  cublasStatus_t cublas##X##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,        \
                                 const T* beta, T* y, int incy) {                                  \
    return symv(handle, uplo, Mirror::kSymmetric, n, numbers(alpha), numbers(a), lda, numbers(x),  \
                incx, numbers(beta), numbers(y), incy);                                            \
  }                                                                                                \
  cublasStatus_t cublas##X##trmv(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,            \
                                 const T* a, int lda, T* x, int incx) {                            \
    return trmv(handle, uplo, trans, diag, n, numbers(a), lda, numbers(x), incx);                  \
  }                                                                                                \
  cublasStatus_t cublas##X##trsv(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,            \
                                 const T* a, int lda, T* x, int incx) {                            \
    return trsv(handle, uplo, trans, diag, n, numbers(a), lda, numbers(x), incx);                  \
  }                                                                                                \
  cublasStatus_t cublas##X##syr(cublasHandle_t handle, cublasFillMode_t uplo, int n,               \
                                const T* alpha, const T* x, int incx, T* a, int lda) {             \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    return outer(handle, part_of(uplo), n, n, scalar(handle, numbers(alpha)), numbers(x), incx,    \
                 numbers(x), incx, false, numbers(a), lda);                                        \
  }                                                                                                \
  cublasStatus_t cublas##X##syr2(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                 const T* alpha, const T* x, int incx, const T* y, int incy, T* a, \
                                 int lda) {                                                        \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    const cublasStatus_t status =                                                                  \
        outer(handle, part_of(uplo), n, n, scalar(handle, numbers(alpha)), numbers(x), incx,       \
              numbers(y), incy, false, numbers(a), lda);                                           \
    if (status != CUBLAS_STATUS_SUCCESS) return status;                                            \
    return outer(handle, part_of(uplo), n, n, scalar(handle, numbers(alpha)), numbers(y), incy,    \
                 numbers(x), incx, false, numbers(a), lda);                                        \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

#define BODY(name, T, conjugates)                                                              \
  cublasStatus_t cublas##name(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, \
                              int incx, const T* y, int incy, T* a, int lda) {                 \
    RADDLE_CHECK_HANDLE(handle);                                                               \
    return outer(handle, Part::kFull, m, n, scalar(handle, numbers(alpha)), numbers(x), incx,  \
                 numbers(y), incy, conjugates, numbers(a), lda);                               \
  }
BODY(Sger, float, false)
BODY(Dger, double, false)
BODY(Cgeru, cuComplex, false)
BODY(Cgerc, cuComplex, true)
BODY(Zgeru, cuDoubleComplex, false)
BODY(Zgerc, cuDoubleComplex, true)
#undef BODY

#define BODY(X, T, R)                                                                             \
  cublasStatus_t cublas##X##hemv(cublasHandle_t handle, cublasFillMode_t uplo, int n,             \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,       \
                                 const T* beta, T* y, int incy) {                                 \
    return symv(handle, uplo, Mirror::kHermitian, n, numbers(alpha), numbers(a), lda, numbers(x), \
                incx, numbers(beta), numbers(y), incy);                                           \
  }                                                                                               \
  cublasStatus_t cublas##X##her(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                const R* alpha, const T* x, int incx, T* a, int lda) {            \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)                                       \
      return not_supported("her with alpha on the device");                                       \
    return outer(handle, part_of(uplo), n, n, known_scalar(Number<T>(*alpha)), numbers(x), incx,  \
                 numbers(x), incx, true, numbers(a), lda);                                        \
  }
BODY(C, cuComplex, float)
BODY(Z, cuDoubleComplex, double)
#undef BODY

}  // extern "C"
