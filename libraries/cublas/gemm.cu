// Products of matrices in the four types of BLAS: general, symmetric, hermitian and triangular ones
// are the same kernel over different views.
#include "context.h"

namespace raddle_libraries {

template <typename T>
cudaError_t multiply(cudaStream_t stream, int m, int n, int k, Scalar<T> alpha, View<T> a,
                     View<T> b, Scalar<T> beta, Target<T> c, int batches) {
  return gemm<T, T, T>(stream, m, n, k, alpha, a, b, beta, c, batches);
}

namespace {

bool is_leading(int ld, int rows) { return rows >= 0 && ld >= (rows > 1 ? rows : 1); }

template <typename T>
cublasStatus_t general(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                       int m, int n, int k, const T* alpha, Batch<const T> a, int lda,
                       Batch<const T> b, int ldb, const T* beta, Batch<T> c, int ldc, int batches) {
  RADDLE_CHECK_HANDLE(handle);
  if (k < 0 || batches < 0 || !is_leading(lda, transa == CUBLAS_OP_N ? m : k) ||
      !is_leading(ldb, transb == CUBLAS_OP_N ? k : n) || !is_leading(ldc, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  return status_of(multiply(handle->stream, m, n, k, scalar(handle, alpha),
                            applied(view(a, lda), transa), applied(view(b, ldb), transb),
                            scalar(handle, beta), Target<T>{c, 1, ldc}, batches));
}

template <typename T>
cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    Mirror mirror, int m, int n, const T* alpha, const T* a, int lda, const T* b,
                    int ldb, const T* beta, T* c, int ldc) {
  RADDLE_CHECK_HANDLE(handle);
  if (!is_leading(lda, side == CUBLAS_SIDE_LEFT ? m : n) || !is_leading(ldb, m) ||
      !is_leading(ldc, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  const View<T> whole = triangle(a, lda, part_of(uplo), mirror), other = view(b, ldb);
  const bool left = side == CUBLAS_SIDE_LEFT;
  return status_of(multiply(handle->stream, m, n, left ? m : n, scalar(handle, alpha),
                            left ? whole : other, left ? other : whole, scalar(handle, beta),
                            target(c, ldc)));
}

// C = alpha A B' + beta C in one triangle.
template <typename T>
cublasStatus_t rank_k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,
                      int k, Scalar<T> alpha, const T* a, int lda, const T* b, int ldb,
                      Scalar<T> beta, T* c, int ldc, bool hermitian) {
  const int rows = trans == CUBLAS_OP_N ? n : k;
  if (!is_leading(lda, rows) || !is_leading(ldb, rows) || !is_leading(ldc, n))
    return CUBLAS_STATUS_INVALID_VALUE;
  Target<T> result = target(c, ldc);
  result.part = part_of(uplo);
  result.real_diagonal = hermitian;
  const View<T> left = trans == CUBLAS_OP_N ? view(a, lda) : transposed(view(a, lda), hermitian);
  const View<T> right = trans == CUBLAS_OP_N ? transposed(view(b, ldb), hermitian) : view(b, ldb);
  return status_of(multiply(handle->stream, n, n, k, alpha, left, right, beta, result));
}

// The product may replace B, so it is made from a copy then.
template <typename T>
cublasStatus_t trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,
                    const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  RADDLE_CHECK_HANDLE(handle);
  const bool left = side == CUBLAS_SIDE_LEFT;
  if (n < 0 || !is_leading(lda, left ? m : n) || !is_leading(ldb, m) || !is_leading(ldc, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  if (b == c) {
    T* copy = (T*)workspace(handle, (size_t)m * n * sizeof(T));
    if (copy == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
    cudaMemcpy2DAsync(copy, m * sizeof(T), b, ldb * sizeof(T), m * sizeof(T), n,
                      cudaMemcpyDeviceToDevice, handle->stream);
    b = copy, ldb = m;
  }
  const View<T> other = view(b, ldb);
  const View<T> half =
      applied(triangle(a, lda, part_of(uplo), Mirror::kZero, diag == CUBLAS_DIAG_UNIT), trans);
  return status_of(multiply(handle->stream, m, n, left ? m : n, scalar(handle, alpha),
                            left ? half : other, left ? other : half, known_scalar(T(0)),
                            target(c, ldc)));
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

#define BODY(X, T)                                                                                \
  template cudaError_t raddle_libraries::multiply(cudaStream_t, int, int, int, Scalar<Number<T>>, \
                                                  View<Number<T>>, View<Number<T>>,               \
                                                  Scalar<Number<T>>, Target<Number<T>>, int);
RADDLE_FOUR_TYPES(BODY)
#undef BODY

extern "C" {

#define BODY(X, T)                                                                                 \
  cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, int k, const T* alpha,    \
                                 const T* a, int lda, const T* b, int ldb, const T* beta, T* c,    \
                                 int ldc) {                                                        \
    return cublas##X##gemmStridedBatched(handle, transa, transb, m, n, k, alpha, a, lda, 0, b,     \
                                         ldb, 0, beta, c, ldc, 0, 1);                              \
  }                                                                                                \
  cublasStatus_t cublas##X##gemmBatched(                                                           \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,             \
      const T* beta, T* const c[], int ldc, int batches) {                                         \
    using N = Number<T>;                                                                           \
    return general(handle, transa, transb, m, n, k, numbers(alpha),                                \
                   Batch<const N>{nullptr, numbers(a), 0}, lda,                                    \
                   Batch<const N>{nullptr, numbers(b), 0}, ldb, numbers(beta),                     \
                   Batch<N>{nullptr, numbers(c), 0}, ldc, batches);                                \
  }                                                                                                \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* a, int lda, long long int stride_a, const T* b, int ldb,     \
      long long int stride_b, const T* beta, T* c, int ldc, long long int stride_c, int batches) { \
    using N = Number<T>;                                                                           \
    return general(handle, transa, transb, m, n, k, numbers(alpha),                                \
                   Batch<const N>{numbers(a), nullptr, stride_a}, lda,                             \
                   Batch<const N>{numbers(b), nullptr, stride_b}, ldb, numbers(beta),              \
                   Batch<N>{numbers(c), nullptr, stride_c}, ldc, batches);                         \
  }                                                                                                \
  cublasStatus_t cublas##X##symm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a,  \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {     \
    return symm(handle, side, uplo, Mirror::kSymmetric, m, n, numbers(alpha), numbers(a), lda,     \
                numbers(b), ldb, numbers(beta), numbers(c), ldc);                                  \
  }                                                                                                \
  cublasStatus_t cublas##X##syrk(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, int n, int k, const T* alpha,            \
                                 const T* a, int lda, const T* beta, T* c, int ldc) {              \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    return rank_k(handle, uplo, trans, n, k, scalar(handle, numbers(alpha)), numbers(a), lda,      \
                  numbers(a), lda, scalar(handle, numbers(beta)), numbers(c), ldc, false);         \
  }                                                                                                \
  cublasStatus_t cublas##X##syr2k(                                                                 \
      cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,         \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    const cublasStatus_t status =                                                                  \
        rank_k(handle, uplo, trans, n, k, scalar(handle, numbers(alpha)), numbers(a), lda,         \
               numbers(b), ldb, scalar(handle, numbers(beta)), numbers(c), ldc, false);            \
    if (status != CUBLAS_STATUS_SUCCESS) return status;                                            \
    return rank_k(handle, uplo, trans, n, k, scalar(handle, numbers(alpha)), numbers(b), ldb,      \
                  numbers(a), lda, known_scalar(Number<T>(1)), numbers(c), ldc, false);            \
  }                                                                                                \
  cublasStatus_t cublas##X##trmm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a,  \
                                 int lda, const T* b, int ldb, T* c, int ldc) {                    \
    return trmm(handle, side, uplo, trans, diag, m, n, numbers(alpha), numbers(a), lda,            \
                numbers(b), ldb, numbers(c), ldc);                                                 \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

#define BODY(X, T, R)                                                                             \
  cublasStatus_t cublas##X##hemm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a, \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return symm(handle, side, uplo, Mirror::kHermitian, m, n, numbers(alpha), numbers(a), lda,    \
                numbers(b), ldb, numbers(beta), numbers(c), ldc);                                 \
  }                                                                                               \
  cublasStatus_t cublas##X##herk(cublasHandle_t handle, cublasFillMode_t uplo,                    \
                                 cublasOperation_t trans, int n, int k, const R* alpha,           \
                                 const T* a, int lda, const R* beta, T* c, int ldc) {             \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)                                       \
      return not_supported("herk with alpha on the device");                                      \
    return rank_k(handle, uplo, trans, n, k, known_scalar(Number<T>(*alpha)), numbers(a), lda,    \
                  numbers(a), lda, known_scalar(Number<T>(*beta)), numbers(c), ldc, true);        \
  }
BODY(C, cuComplex, float)
BODY(Z, cuDoubleComplex, double)
#undef BODY

}  // extern "C"
