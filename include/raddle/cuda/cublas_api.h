// cuBLAS, version 2 of its interface: what libraries/cublas implements. A function that is not
// declared here is not part of Raddle.
#ifndef RADDLE_CUBLAS_API_H
#define RADDLE_CUBLAS_API_H
#define CUBLAS_API_H_  // programs test for it

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "library_types.h"

#define CUBLASAPI
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 3
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 120300

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext* cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, size_t bytes);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int n, int size, const void* x, int incx, void* device, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void* device, int incx, void* y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* a, int lda,
                               void* device, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* device, int lda,
                               void* b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void* x, int incx, void* device,
                                    int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void* device, int incx, void* y,
                                    int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void* a, int lda,
                                    void* device, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void* device, int lda,
                                    void* b, int ldb, cudaStream_t stream);

// X is the letter of the type T, R its real type.
#define RADDLE_CUBLAS_ALL(X, T, R, RX)                                                             \
  cublasStatus_t cublas##X##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x,         \
                                 int incx, T* y, int incy);                                        \
  cublasStatus_t cublas##X##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,         \
                                 int incy);                                                        \
  cublasStatus_t cublas##X##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);    \
  cublasStatus_t cublas##X##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);    \
  cublasStatus_t cublasI##RX##amax(cublasHandle_t handle, int n, const T* x, int incx,             \
                                   int* result);                                                   \
  cublasStatus_t cublasI##RX##amin(cublasHandle_t handle, int n, const T* x, int incx,             \
                                   int* result);                                                   \
  cublasStatus_t cublas##X##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,        \
                                 const T* beta, T* y, int incy);                                   \
  cublasStatus_t cublas##X##gbmv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 int kl, int ku, const T* alpha, const T* a, int lda, const T* x,  \
                                 int incx, const T* beta, T* y, int incy);                         \
  cublasStatus_t cublas##X##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,        \
                                 const T* beta, T* y, int incy);                                   \
  cublasStatus_t cublas##X##trmv(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,            \
                                 const T* a, int lda, T* x, int incx);                             \
  cublasStatus_t cublas##X##trsv(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,            \
                                 const T* a, int lda, T* x, int incx);                             \
  cublasStatus_t cublas##X##syr(cublasHandle_t handle, cublasFillMode_t uplo, int n,               \
                                const T* alpha, const T* x, int incx, T* a, int lda);              \
  cublasStatus_t cublas##X##syr2(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                 const T* alpha, const T* x, int incx, const T* y, int incy, T* a, \
                                 int lda);                                                         \
  cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, int k, const T* alpha,    \
                                 const T* a, int lda, const T* b, int ldb, const T* beta, T* c,    \
                                 int ldc);                                                         \
  cublasStatus_t cublas##X##gemmBatched(                                                           \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,             \
      const T* beta, T* const c[], int ldc, int batches);                                          \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* a, int lda, long long int stride_a, const T* b, int ldb,     \
      long long int stride_b, const T* beta, T* c, int ldc, long long int stride_c, int batches);  \
  cublasStatus_t cublas##X##symm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a,  \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc);      \
  cublasStatus_t cublas##X##syrk(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, int n, int k, const T* alpha,            \
                                 const T* a, int lda, const T* beta, T* c, int ldc);               \
  cublasStatus_t cublas##X##syr2k(                                                                 \
      cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,         \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);     \
  cublasStatus_t cublas##X##trmm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a,  \
                                 int lda, const T* b, int ldb, T* c, int ldc);                     \
  cublasStatus_t cublas##X##trsm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a,  \
                                 int lda, T* b, int ldb);                                          \
  cublasStatus_t cublas##X##geam(                                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc);     \
  cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,       \
                                 const T* a, int lda, const T* x, int incx, T* c, int ldc);        \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,      \
                                         int* pivots, int* info, int batches);                     \
  cublasStatus_t cublas##X##getrsBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t trans, int n, int vectors, const T* const a[],      \
      int lda, const int* pivots, T* const b[], int ldb, int* info, int batches);                  \
  cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T* const a[],         \
                                         int lda, const int* pivots, T* const c[], int ldc,        \
                                         int* info, int batches);                                  \
  cublasStatus_t cublas##X##matinvBatched(cublasHandle_t handle, int n, const T* const a[],        \
                                          int lda, T* const c[], int ldc, int* info, int batches); \
  cublasStatus_t cublas##X##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m,     \
                                        int n, int vectors, T* const a[], int lda, T* const c[],   \
                                        int ldc, int* info, int* infos, int batches);
RADDLE_CUBLAS_ALL(S, float, float, s)
RADDLE_CUBLAS_ALL(D, double, double, d)
RADDLE_CUBLAS_ALL(C, cuComplex, float, c)
RADDLE_CUBLAS_ALL(Z, cuDoubleComplex, double, z)
#undef RADDLE_CUBLAS_ALL

#define RADDLE_CUBLAS_NORMS(RX, T, R)                                                             \
  cublasStatus_t cublas##RX##asum(cublasHandle_t handle, int n, const T* x, int incx, R* result); \
  cublasStatus_t cublas##RX##nrm2(cublasHandle_t handle, int n, const T* x, int incx, R* result);
RADDLE_CUBLAS_NORMS(S, float, float)
RADDLE_CUBLAS_NORMS(D, double, double)
RADDLE_CUBLAS_NORMS(Sc, cuComplex, float)
RADDLE_CUBLAS_NORMS(Dz, cuDoubleComplex, double)
#undef RADDLE_CUBLAS_NORMS

#define RADDLE_CUBLAS_PRODUCTS(name, T)                                                       \
  cublasStatus_t cublas##name(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                              int incy, T* result);
RADDLE_CUBLAS_PRODUCTS(Sdot, float)
RADDLE_CUBLAS_PRODUCTS(Ddot, double)
RADDLE_CUBLAS_PRODUCTS(Cdotu, cuComplex)
RADDLE_CUBLAS_PRODUCTS(Cdotc, cuComplex)
RADDLE_CUBLAS_PRODUCTS(Zdotu, cuDoubleComplex)
RADDLE_CUBLAS_PRODUCTS(Zdotc, cuDoubleComplex)
#undef RADDLE_CUBLAS_PRODUCTS

#define RADDLE_CUBLAS_OUTER(name, T)                                                           \
  cublasStatus_t cublas##name(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, \
                              int incx, const T* y, int incy, T* a, int lda);
RADDLE_CUBLAS_OUTER(Sger, float)
RADDLE_CUBLAS_OUTER(Dger, double)
RADDLE_CUBLAS_OUTER(Cgeru, cuComplex)
RADDLE_CUBLAS_OUTER(Cgerc, cuComplex)
RADDLE_CUBLAS_OUTER(Zgeru, cuDoubleComplex)
RADDLE_CUBLAS_OUTER(Zgerc, cuDoubleComplex)
#undef RADDLE_CUBLAS_OUTER

#define RADDLE_CUBLAS_REAL(X, T)                                                              \
  cublasStatus_t cublas##X##rot(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, \
                                const T* c, const T* s);                                      \
  cublasStatus_t cublas##X##rotg(cublasHandle_t handle, T* a, T* b, T* c, T* s);
RADDLE_CUBLAS_REAL(S, float)
RADDLE_CUBLAS_REAL(D, double)
#undef RADDLE_CUBLAS_REAL

#define RADDLE_CUBLAS_HERMITIAN(X, RX, T, R)                                                      \
  cublasStatus_t cublas##RX##scal(cublasHandle_t handle, int n, const R* alpha, T* x, int incx);  \
  cublasStatus_t cublas##X##hemv(cublasHandle_t handle, cublasFillMode_t uplo, int n,             \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,       \
                                 const T* beta, T* y, int incy);                                  \
  cublasStatus_t cublas##X##her(cublasHandle_t handle, cublasFillMode_t uplo, int n,              \
                                const R* alpha, const T* x, int incx, T* a, int lda);             \
  cublasStatus_t cublas##X##hemm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a, \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc);     \
  cublasStatus_t cublas##X##herk(cublasHandle_t handle, cublasFillMode_t uplo,                    \
                                 cublasOperation_t trans, int n, int k, const R* alpha,           \
                                 const T* a, int lda, const R* beta, T* c, int ldc);
RADDLE_CUBLAS_HERMITIAN(C, Cs, cuComplex, float)
RADDLE_CUBLAS_HERMITIAN(Z, Zd, cuDoubleComplex, double)
#undef RADDLE_CUBLAS_HERMITIAN

#ifdef __cplusplus
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const __half* alpha, const __half* const a[], int lda,
                                  const __half* const b[], int ldb, const __half* beta,
                                  __half* const c[], int ldc, int batches);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long int stride_a, const __half* b, int ldb,
                                         long long int stride_b, const __half* beta, __half* c,
                                         int ldc, long long int stride_c, int batches);
#endif

// Types: 16F, 16BF, 8I (into 32I or 32F), 32F and 64F, C_32F and C_64F. Half precision is summed in
// float whatever the type of computing.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType a_type, int lda,
                                   const void* const b[], cudaDataType b_type, int ldb,
                                   const void* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int batches, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long int stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long int stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long int stride_c, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c,
                             cudaDataType c_type, int ldc);

#ifdef __cplusplus
}
// Programs of before CUDA 11 say a data type where the type of computing stands.
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, const void* b, cudaDataType b_type, int ldb,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algorithm) {
  const cublasComputeType_t type = compute == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                   : compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                   : compute == CUDA_C_64F ? CUBLAS_COMPUTE_64F
                                   : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                           : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                      c, c_type, ldc, type, algorithm);
}
#endif

#include "cublas_64.h"

#endif
