// The first version of cuBLAS's interface, which older programs use: one handle for all, operations
// by letters, results as return values. C++ only, as the functions overload those of version 2.
#ifndef RADDLE_CUBLAS_H
#define RADDLE_CUBLAS_H
#define CUBLAS_H_  // programs test for it

#ifndef __cplusplus
#error \
    "the first version of cuBLAS's interface (cublas.h) is not supported in C; include cublas_v2.h"
#endif

#include "cublas_v2.h"

typedef cublasStatus_t cublasStatus;

// One for the program, whatever file it is used in.
struct raddle_cublas_legacy {
  cublasHandle_t handle = nullptr;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  cublasHandle_t get() {
    if (handle == nullptr) status = cublasCreate(&handle);
    return handle;
  }
  void keep(cublasStatus_t result) {
    if (result != CUBLAS_STATUS_SUCCESS) status = result;
  }
  static raddle_cublas_legacy& all() {
    static raddle_cublas_legacy only;
    return only;
  }
  static cublasOperation_t operation(char c) {
    return c == 'T' || c == 't' ? CUBLAS_OP_T : c == 'C' || c == 'c' ? CUBLAS_OP_C : CUBLAS_OP_N;
  }
  static cublasFillMode_t fill(char c) {
    return c == 'U' || c == 'u' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  }
  static cublasSideMode_t side(char c) {
    return c == 'R' || c == 'r' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
  }
  static cublasDiagType_t diagonal(char c) {
    return c == 'U' || c == 'u' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  }
};

static inline cublasStatus cublasInit() {
  raddle_cublas_legacy::all().get();
  return raddle_cublas_legacy::all().status;
}
static inline cublasStatus cublasShutdown() {
  raddle_cublas_legacy& legacy = raddle_cublas_legacy::all();
  if (legacy.handle != nullptr) cublasDestroy(legacy.handle);
  legacy.handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus cublasGetError() {
  const cublasStatus status = raddle_cublas_legacy::all().status;
  raddle_cublas_legacy::all().status = CUBLAS_STATUS_SUCCESS;
  return status;
}
static inline cublasStatus cublasAlloc(int n, int size, void** device) {
  return cudaMalloc(device, (size_t)n * size) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                             : CUBLAS_STATUS_ALLOC_FAILED;
}
static inline cublasStatus cublasFree(void* device) {
  return cudaFree(device) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
static inline cublasStatus cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream(raddle_cublas_legacy::all().get(), stream);
}

#define RADDLE_KEEP(call) raddle_cublas_legacy::all().keep(call)
#define RADDLE_HANDLE raddle_cublas_legacy::all().get()
#define RADDLE_CUBLAS_LEGACY(X, x, T)                                                              \
  static inline void cublas##X##axpy(int n, T alpha, const T* a, int inca, T* b, int incb) {       \
    RADDLE_KEEP(cublas##X##axpy(RADDLE_HANDLE, n, &alpha, a, inca, b, incb));                      \
  }                                                                                                \
  static inline void cublas##X##copy(int n, const T* a, int inca, T* b, int incb) {                \
    RADDLE_KEEP(cublas##X##copy(RADDLE_HANDLE, n, a, inca, b, incb));                              \
  }                                                                                                \
  static inline void cublas##X##swap(int n, T* a, int inca, T* b, int incb) {                      \
    RADDLE_KEEP(cublas##X##swap(RADDLE_HANDLE, n, a, inca, b, incb));                              \
  }                                                                                                \
  static inline void cublas##X##scal(int n, T alpha, T* a, int inca) {                             \
    RADDLE_KEEP(cublas##X##scal(RADDLE_HANDLE, n, &alpha, a, inca));                               \
  }                                                                                                \
  static inline int cublasI##x##amax(int n, const T* a, int inca) {                                \
    int result = 0;                                                                                \
    RADDLE_KEEP(cublasI##x##amax(RADDLE_HANDLE, n, a, inca, &result));                             \
    return result;                                                                                 \
  }                                                                                                \
  static inline int cublasI##x##amin(int n, const T* a, int inca) {                                \
    int result = 0;                                                                                \
    RADDLE_KEEP(cublasI##x##amin(RADDLE_HANDLE, n, a, inca, &result));                             \
    return result;                                                                                 \
  }                                                                                                \
  static inline void cublas##X##gemv(char trans, int m, int n, T alpha, const T* a, int lda,       \
                                     const T* b, int incb, T beta, T* c, int incc) {               \
    RADDLE_KEEP(cublas##X##gemv(RADDLE_HANDLE, raddle_cublas_legacy::operation(trans), m, n,       \
                                &alpha, a, lda, b, incb, &beta, c, incc));                         \
  }                                                                                                \
  static inline void cublas##X##trsv(char uplo, char trans, char diag, int n, const T* a, int lda, \
                                     T* b, int incb) {                                             \
    RADDLE_KEEP(cublas##X##trsv(RADDLE_HANDLE, raddle_cublas_legacy::fill(uplo),                   \
                                raddle_cublas_legacy::operation(trans),                            \
                                raddle_cublas_legacy::diagonal(diag), n, a, lda, b, incb));        \
  }                                                                                                \
  static inline void cublas##X##gemm(char transa, char transb, int m, int n, int k, T alpha,       \
                                     const T* a, int lda, const T* b, int ldb, T beta, T* c,       \
                                     int ldc) {                                                    \
    RADDLE_KEEP(cublas##X##gemm(RADDLE_HANDLE, raddle_cublas_legacy::operation(transa),            \
                                raddle_cublas_legacy::operation(transb), m, n, k, &alpha, a, lda,  \
                                b, ldb, &beta, c, ldc));                                           \
  }                                                                                                \
  static inline void cublas##X##symm(char side, char uplo, int m, int n, T alpha, const T* a,      \
                                     int lda, const T* b, int ldb, T beta, T* c, int ldc) {        \
    RADDLE_KEEP(cublas##X##symm(RADDLE_HANDLE, raddle_cublas_legacy::side(side),                   \
                                raddle_cublas_legacy::fill(uplo), m, n, &alpha, a, lda, b, ldb,    \
                                &beta, c, ldc));                                                   \
  }                                                                                                \
  static inline void cublas##X##syrk(char uplo, char trans, int n, int k, T alpha, const T* a,     \
                                     int lda, T beta, T* c, int ldc) {                             \
    RADDLE_KEEP(cublas##X##syrk(RADDLE_HANDLE, raddle_cublas_legacy::fill(uplo),                   \
                                raddle_cublas_legacy::operation(trans), n, k, &alpha, a, lda,      \
                                &beta, c, ldc));                                                   \
  }                                                                                                \
  static inline void cublas##X##trmm(char side, char uplo, char trans, char diag, int m, int n,    \
                                     T alpha, const T* a, int lda, T* b, int ldb) {                \
    RADDLE_KEEP(cublas##X##trmm(                                                                   \
        RADDLE_HANDLE, raddle_cublas_legacy::side(side), raddle_cublas_legacy::fill(uplo),         \
        raddle_cublas_legacy::operation(trans), raddle_cublas_legacy::diagonal(diag), m, n,        \
        &alpha, a, lda, b, ldb, b, ldb));                                                          \
  }                                                                                                \
  static inline void cublas##X##trsm(char side, char uplo, char trans, char diag, int m, int n,    \
                                     T alpha, const T* a, int lda, T* b, int ldb) {                \
    RADDLE_KEEP(                                                                                   \
        cublas##X##trsm(RADDLE_HANDLE, raddle_cublas_legacy::side(side),                           \
                        raddle_cublas_legacy::fill(uplo), raddle_cublas_legacy::operation(trans),  \
                        raddle_cublas_legacy::diagonal(diag), m, n, &alpha, a, lda, b, ldb));      \
  }
RADDLE_CUBLAS_LEGACY(S, s, float)
RADDLE_CUBLAS_LEGACY(D, d, double)
RADDLE_CUBLAS_LEGACY(C, c, cuComplex)
RADDLE_CUBLAS_LEGACY(Z, z, cuDoubleComplex)
#undef RADDLE_CUBLAS_LEGACY

#define RADDLE_CUBLAS_LEGACY(name, T)                                               \
  static inline T cublas##name(int n, const T* a, int inca, const T* b, int incb) { \
    T result = T();                                                                 \
    RADDLE_KEEP(cublas##name(RADDLE_HANDLE, n, a, inca, b, incb, &result));         \
    return result;                                                                  \
  }
RADDLE_CUBLAS_LEGACY(Sdot, float)
RADDLE_CUBLAS_LEGACY(Ddot, double)
RADDLE_CUBLAS_LEGACY(Cdotu, cuComplex)
RADDLE_CUBLAS_LEGACY(Cdotc, cuComplex)
RADDLE_CUBLAS_LEGACY(Zdotu, cuDoubleComplex)
RADDLE_CUBLAS_LEGACY(Zdotc, cuDoubleComplex)
#undef RADDLE_CUBLAS_LEGACY

#define RADDLE_CUBLAS_LEGACY(name, T, R)                           \
  static inline R cublas##name(int n, const T* a, int inca) {      \
    R result = 0;                                                  \
    RADDLE_KEEP(cublas##name(RADDLE_HANDLE, n, a, inca, &result)); \
    return result;                                                 \
  }
RADDLE_CUBLAS_LEGACY(Snrm2, float, float)
RADDLE_CUBLAS_LEGACY(Dnrm2, double, double)
RADDLE_CUBLAS_LEGACY(Scnrm2, cuComplex, float)
RADDLE_CUBLAS_LEGACY(Dznrm2, cuDoubleComplex, double)
RADDLE_CUBLAS_LEGACY(Sasum, float, float)
RADDLE_CUBLAS_LEGACY(Dasum, double, double)
RADDLE_CUBLAS_LEGACY(Scasum, cuComplex, float)
RADDLE_CUBLAS_LEGACY(Dzasum, cuDoubleComplex, double)
#undef RADDLE_CUBLAS_LEGACY

#define RADDLE_CUBLAS_LEGACY(name, T)                                                      \
  static inline void cublas##name(int m, int n, T alpha, const T* a, int inca, const T* b, \
                                  int incb, T* c, int ldc) {                               \
    RADDLE_KEEP(cublas##name(RADDLE_HANDLE, m, n, &alpha, a, inca, b, incb, c, ldc));      \
  }
RADDLE_CUBLAS_LEGACY(Sger, float)
RADDLE_CUBLAS_LEGACY(Dger, double)
RADDLE_CUBLAS_LEGACY(Cgeru, cuComplex)
RADDLE_CUBLAS_LEGACY(Cgerc, cuComplex)
RADDLE_CUBLAS_LEGACY(Zgeru, cuDoubleComplex)
RADDLE_CUBLAS_LEGACY(Zgerc, cuDoubleComplex)
#undef RADDLE_CUBLAS_LEGACY
#undef RADDLE_KEEP
#undef RADDLE_HANDLE

#endif
