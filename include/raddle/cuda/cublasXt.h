// cuBLASXt: products of matrices that lie on the host or on the device, on the one device there is,
// as libraries/cublas implements them.
#ifndef RADDLE_CUBLASXT_H
#define RADDLE_CUBLASXT_H
#define CUBLAS_XT_H_  // programs test for it

#include "cublas_v2.h"

typedef struct cublasXtContext* cublasXtHandle_t;
typedef enum {
  CUBLASXT_PINNING_DISABLED = 0,
  CUBLASXT_PINNING_ENABLED = 1
} cublasXtPinnedMemMode_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int side);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* side);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode);

#define RADDLE_CUBLASXT(X, T)                                                                      \
  cublasStatus_t cublasXt##X##gemm(cublasXtHandle_t handle, cublasOperation_t transa,              \
                                   cublasOperation_t transb, size_t m, size_t n, size_t k,         \
                                   const T* alpha, const T* a, size_t lda, const T* b, size_t ldb, \
                                   const T* beta, T* c, size_t ldc);
RADDLE_CUBLASXT(S, float)
RADDLE_CUBLASXT(D, double)
RADDLE_CUBLASXT(C, cuComplex)
RADDLE_CUBLASXT(Z, cuDoubleComplex)
#undef RADDLE_CUBLASXT

#ifdef __cplusplus
}
#endif

#endif
