// cuSOLVER for dense matrices: what libraries/cusolver implements, in S, D, C and Z. A function
// that is not declared here is not part of Raddle.
#ifndef RADDLE_CUSOLVERDN_H
#define RADDLE_CUSOLVERDN_H
#define CUSOLVERDN_H_  // programs test for it

#include "cuComplex.h"
#include "cublas_v2.h"
#include "cuda_runtime_api.h"
#include "cusolver_common.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream);
cusolverStatus_t cusolverGetVersion(int* version);
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int* value);

// X is the letter of the type T, R its real type. QR's two functions are or... or un..., the
// eigenvalues' sy... or he...
#define RADDLE_CUSOLVER(X, T, R, ORM, ORG, SY)                                                     \
  cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T* a,  \
                                                   int lda, int* elements);                        \
  cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda,    \
                                        T* work, int* pivots, int* info);                          \
  cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, \
                                        int vectors, const T* a, int lda, const int* pivots, T* b, \
                                        int ldb, int* info);                                       \
  cusolverStatus_t cusolverDn##X##potrf_bufferSize(                                                \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda, int* elements);      \
  cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T* a, int lda, T* work, int elements, int* info);          \
  cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        int vectors, const T* a, int lda, T* b, int ldb,           \
                                        int* info);                                                \
  cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T* a,  \
                                                   int lda, int* elements);                        \
  cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda,    \
                                        T* tau, T* work, int elements, int* info);                 \
  cusolverStatus_t cusolverDn##X##ORM##_bufferSize(                                                \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,     \
      int k, const T* a, int lda, const T* tau, const T* c, int ldc, int* elements);               \
  cusolverStatus_t cusolverDn##X##ORM(                                                             \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,     \
      int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work, int elements, int* info);  \
  cusolverStatus_t cusolverDn##X##ORG##_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, \
                                                   const T* a, int lda, const T* tau,              \
                                                   int* elements);                                 \
  cusolverStatus_t cusolverDn##X##ORG(cusolverDnHandle_t handle, int m, int n, int k, T* a,        \
                                      int lda, const T* tau, T* work, int elements, int* info);    \
  cusolverStatus_t cusolverDn##X##SY##evd_bufferSize(                                              \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, const T* a, \
      int lda, const R* values, int* elements);                                                    \
  cusolverStatus_t cusolverDn##X##SY##evd(cusolverDnHandle_t handle, cusolverEigMode_t mode,       \
                                          cublasFillMode_t uplo, int n, T* a, int lda, R* values,  \
                                          T* work, int elements, int* info);                       \
  cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n,        \
                                                   int* elements);                                 \
  cusolverStatus_t cusolverDn##X##gesvd(                                                           \
      cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* a, int lda, \
      R* s, T* u, int ldu, T* vt, int ldvt, T* work, int elements, R* rwork, int* info);
RADDLE_CUSOLVER(S, float, float, ormqr, orgqr, sy)
RADDLE_CUSOLVER(D, double, double, ormqr, orgqr, sy)
RADDLE_CUSOLVER(C, cuComplex, float, unmqr, ungqr, he)
RADDLE_CUSOLVER(Z, cuDoubleComplex, double, unmqr, ungqr, he)
#undef RADDLE_CUSOLVER

#ifdef __cplusplus
}
#endif

#endif
