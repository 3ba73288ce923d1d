// cuBLAS's functions with sizes of 64 bits. They call those of 32 bits, and refuse a size that does
// not fit: no machine holds a matrix that large.
#ifndef RADDLE_CUBLAS_64_H
#define RADDLE_CUBLAS_64_H

#include <stdint.h>

#include "cublas_api.h"

static inline int raddle_cublas_fits(int64_t size) { return size == (int64_t)(int)size; }
#define RADDLE_CUBLAS_FIT(sizes) \
  if (!(sizes)) return CUBLAS_STATUS_NOT_SUPPORTED
#define RADDLE_FITS(x) raddle_cublas_fits(x)

#define RADDLE_CUBLAS_64_VECTORS(X, T)                                                             \
  static inline cublasStatus_t cublas##X##axpy_64(cublasHandle_t handle, int64_t n,                \
                                                  const T* alpha, const T* x, int64_t incx, T* y,  \
                                                  int64_t incy) {                                  \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx) && RADDLE_FITS(incy));                   \
    return cublas##X##axpy(handle, (int)n, alpha, x, (int)incx, y, (int)incy);                     \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##copy_64(cublasHandle_t handle, int64_t n, const T* x,    \
                                                  int64_t incx, T* y, int64_t incy) {              \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx) && RADDLE_FITS(incy));                   \
    return cublas##X##copy(handle, (int)n, x, (int)incx, y, (int)incy);                            \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##swap_64(cublasHandle_t handle, int64_t n, T* x,          \
                                                  int64_t incx, T* y, int64_t incy) {              \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx) && RADDLE_FITS(incy));                   \
    return cublas##X##swap(handle, (int)n, x, (int)incx, y, (int)incy);                            \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##scal_64(cublasHandle_t handle, int64_t n,                \
                                                  const T* alpha, T* x, int64_t incx) {            \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx));                                        \
    return cublas##X##scal(handle, (int)n, alpha, x, (int)incx);                                   \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##gemv_64(                                                 \
      cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha,        \
      const T* a, int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {      \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(lda) && RADDLE_FITS(incx) && \
                      RADDLE_FITS(incy));                                                          \
    return cublas##X##gemv(handle, trans, (int)m, (int)n, alpha, a, (int)lda, x, (int)incx, beta,  \
                           y, (int)incy);                                                          \
  }
RADDLE_CUBLAS_64_VECTORS(S, float)
RADDLE_CUBLAS_64_VECTORS(D, double)
RADDLE_CUBLAS_64_VECTORS(C, cuComplex)
RADDLE_CUBLAS_64_VECTORS(Z, cuDoubleComplex)
#undef RADDLE_CUBLAS_64_VECTORS

#define RADDLE_CUBLAS_64_MATRICES(X, T)                                                            \
  static inline cublasStatus_t cublas##X##gemm_64(                                                 \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,        \
      int64_t n, int64_t k, const T* alpha, const T* a, int64_t lda, const T* b, int64_t ldb,      \
      const T* beta, T* c, int64_t ldc) {                                                          \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(k) && RADDLE_FITS(lda) &&    \
                      RADDLE_FITS(ldb) && RADDLE_FITS(ldc));                                       \
    return cublas##X##gemm(handle, transa, transb, (int)m, (int)n, (int)k, alpha, a, (int)lda, b,  \
                           (int)ldb, beta, c, (int)ldc);                                           \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##gemmStridedBatched_64(                                   \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,        \
      int64_t n, int64_t k, const T* alpha, const T* a, int64_t lda, long long int stride_a,       \
      const T* b, int64_t ldb, long long int stride_b, const T* beta, T* c, int64_t ldc,           \
      long long int stride_c, int64_t batches) {                                                   \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(k) && RADDLE_FITS(lda) &&    \
                      RADDLE_FITS(ldb) && RADDLE_FITS(ldc) && RADDLE_FITS(batches));               \
    return cublas##X##gemmStridedBatched(handle, transa, transb, (int)m, (int)n, (int)k, alpha, a, \
                                         (int)lda, stride_a, b, (int)ldb, stride_b, beta, c,       \
                                         (int)ldc, stride_c, (int)batches);                        \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##gemmBatched_64(                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,        \
      int64_t n, int64_t k, const T* alpha, const T* const a[], int64_t lda, const T* const b[],   \
      int64_t ldb, const T* beta, T* const c[], int64_t ldc, int64_t batches) {                    \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(k) && RADDLE_FITS(lda) &&    \
                      RADDLE_FITS(ldb) && RADDLE_FITS(ldc) && RADDLE_FITS(batches));               \
    return cublas##X##gemmBatched(handle, transa, transb, (int)m, (int)n, (int)k, alpha, a,        \
                                  (int)lda, b, (int)ldb, beta, c, (int)ldc, (int)batches);         \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##syrk_64(                                                 \
      cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, \
      const T* alpha, const T* a, int64_t lda, const T* beta, T* c, int64_t ldc) {                 \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(k) && RADDLE_FITS(lda) && RADDLE_FITS(ldc));   \
    return cublas##X##syrk(handle, uplo, trans, (int)n, (int)k, alpha, a, (int)lda, beta, c,       \
                           (int)ldc);                                                              \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##trsm_64(                                                 \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                         \
      cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n, const T* alpha,        \
      const T* a, int64_t lda, T* b, int64_t ldb) {                                                \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(lda) && RADDLE_FITS(ldb));   \
    return cublas##X##trsm(handle, side, uplo, trans, diag, (int)m, (int)n, alpha, a, (int)lda, b, \
                           (int)ldb);                                                              \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##geam_64(                                                 \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,        \
      int64_t n, const T* alpha, const T* a, int64_t lda, const T* beta, const T* b, int64_t ldb,  \
      T* c, int64_t ldc) {                                                                         \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(lda) && RADDLE_FITS(ldb) &&  \
                      RADDLE_FITS(ldc));                                                           \
    return cublas##X##geam(handle, transa, transb, (int)m, (int)n, alpha, a, (int)lda, beta, b,    \
                           (int)ldb, c, (int)ldc);                                                 \
  }                                                                                                \
  static inline cublasStatus_t cublas##X##dgmm_64(cublasHandle_t handle, cublasSideMode_t side,    \
                                                  int64_t m, int64_t n, const T* a, int64_t lda,   \
                                                  const T* x, int64_t incx, T* c, int64_t ldc) {   \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(lda) && RADDLE_FITS(incx) && \
                      RADDLE_FITS(ldc));                                                           \
    return cublas##X##dgmm(handle, side, (int)m, (int)n, a, (int)lda, x, (int)incx, c, (int)ldc);  \
  }
RADDLE_CUBLAS_64_MATRICES(S, float)
RADDLE_CUBLAS_64_MATRICES(D, double)
RADDLE_CUBLAS_64_MATRICES(C, cuComplex)
RADDLE_CUBLAS_64_MATRICES(Z, cuDoubleComplex)
#undef RADDLE_CUBLAS_64_MATRICES

#define RADDLE_CUBLAS_64_NORM(name, T, R)                                                      \
  static inline cublasStatus_t cublas##name##_64(cublasHandle_t handle, int64_t n, const T* x, \
                                                 int64_t incx, R* result) {                    \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx));                                    \
    return cublas##name(handle, (int)n, x, (int)incx, result);                                 \
  }
RADDLE_CUBLAS_64_NORM(Sasum, float, float)
RADDLE_CUBLAS_64_NORM(Dasum, double, double)
RADDLE_CUBLAS_64_NORM(Scasum, cuComplex, float)
RADDLE_CUBLAS_64_NORM(Dzasum, cuDoubleComplex, double)
RADDLE_CUBLAS_64_NORM(Snrm2, float, float)
RADDLE_CUBLAS_64_NORM(Dnrm2, double, double)
RADDLE_CUBLAS_64_NORM(Scnrm2, cuComplex, float)
RADDLE_CUBLAS_64_NORM(Dznrm2, cuDoubleComplex, double)
#undef RADDLE_CUBLAS_64_NORM

#define RADDLE_CUBLAS_64_PRODUCT(name, T)                                                      \
  static inline cublasStatus_t cublas##name##_64(cublasHandle_t handle, int64_t n, const T* x, \
                                                 int64_t incx, const T* y, int64_t incy,       \
                                                 T* result) {                                  \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx) && RADDLE_FITS(incy));               \
    return cublas##name(handle, (int)n, x, (int)incx, y, (int)incy, result);                   \
  }
RADDLE_CUBLAS_64_PRODUCT(Sdot, float)
RADDLE_CUBLAS_64_PRODUCT(Ddot, double)
RADDLE_CUBLAS_64_PRODUCT(Cdotu, cuComplex)
RADDLE_CUBLAS_64_PRODUCT(Cdotc, cuComplex)
RADDLE_CUBLAS_64_PRODUCT(Zdotu, cuDoubleComplex)
RADDLE_CUBLAS_64_PRODUCT(Zdotc, cuDoubleComplex)
#undef RADDLE_CUBLAS_64_PRODUCT

#define RADDLE_CUBLAS_64_OUTER(name, T)                                                          \
  static inline cublasStatus_t cublas##name##_64(cublasHandle_t handle, int64_t m, int64_t n,    \
                                                 const T* alpha, const T* x, int64_t incx,       \
                                                 const T* y, int64_t incy, T* a, int64_t lda) {  \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(incx) &&                   \
                      RADDLE_FITS(incy) && RADDLE_FITS(lda));                                    \
    return cublas##name(handle, (int)m, (int)n, alpha, x, (int)incx, y, (int)incy, a, (int)lda); \
  }
RADDLE_CUBLAS_64_OUTER(Sger, float)
RADDLE_CUBLAS_64_OUTER(Dger, double)
RADDLE_CUBLAS_64_OUTER(Cgeru, cuComplex)
RADDLE_CUBLAS_64_OUTER(Cgerc, cuComplex)
RADDLE_CUBLAS_64_OUTER(Zgeru, cuDoubleComplex)
RADDLE_CUBLAS_64_OUTER(Zgerc, cuDoubleComplex)
#undef RADDLE_CUBLAS_64_OUTER

#define RADDLE_CUBLAS_64_SCALE(name, T, R)                                                         \
  static inline cublasStatus_t cublas##name##_64(cublasHandle_t handle, int64_t n, const R* alpha, \
                                                 T* x, int64_t incx) {                             \
    RADDLE_CUBLAS_FIT(RADDLE_FITS(n) && RADDLE_FITS(incx));                                        \
    return cublas##name(handle, (int)n, alpha, x, (int)incx);                                      \
  }
RADDLE_CUBLAS_64_SCALE(Csscal, cuComplex, float)
RADDLE_CUBLAS_64_SCALE(Zdscal, cuDoubleComplex, double)
#undef RADDLE_CUBLAS_64_SCALE

static inline cublasStatus_t cublasGemmEx_64(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, cudaDataType a_type, int64_t lda, const void* b,
    cudaDataType b_type, int64_t ldb, const void* beta, void* c, cudaDataType c_type, int64_t ldc,
    cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  RADDLE_CUBLAS_FIT(RADDLE_FITS(m) && RADDLE_FITS(n) && RADDLE_FITS(k) && RADDLE_FITS(lda) &&
                    RADDLE_FITS(ldb) && RADDLE_FITS(ldc));
  return cublasGemmEx(handle, transa, transb, (int)m, (int)n, (int)k, alpha, a, a_type, (int)lda, b,
                      b_type, (int)ldb, beta, c, c_type, (int)ldc, compute, algorithm);
}
#undef RADDLE_CUBLAS_FIT
#undef RADDLE_FITS

// Their results have 64 bits, wherever they lie.
#ifdef __cplusplus
extern "C" {
#endif
#define RADDLE_CUBLAS_64_EXTREMES(RX, T)                                                          \
  cublasStatus_t cublasI##RX##amax_64(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, \
                                      int64_t* result);                                           \
  cublasStatus_t cublasI##RX##amin_64(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, \
                                      int64_t* result);
RADDLE_CUBLAS_64_EXTREMES(s, float)
RADDLE_CUBLAS_64_EXTREMES(d, double)
RADDLE_CUBLAS_64_EXTREMES(c, cuComplex)
RADDLE_CUBLAS_64_EXTREMES(z, cuDoubleComplex)
#undef RADDLE_CUBLAS_64_EXTREMES
#ifdef __cplusplus
}
#endif

#endif
