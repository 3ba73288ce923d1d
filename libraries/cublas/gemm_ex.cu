// Products whose types are arguments, and those of half precision: sums are kept in float, or in
// int for bytes.
#include "context.h"

namespace raddle_libraries {

namespace {

// Matrices of a type that only the call knows.
struct Places {
  const void* base;
  const void* const* array;
  long long distance;
  int leading;
};

template <typename T>
Batch<const T> batch_of(const Places& places) {
  return {(const T*)places.base, (const T* const*)places.array, places.distance};
}

struct Product {
  cublasHandle_t handle;
  cublasOperation_t transa, transb;
  int m, n, k;
  const void *alpha, *beta;
  Places a, b, c;
  int batches;
};

// Factor is the type in which the caller keeps alpha and beta.
template <typename In, typename Out, typename Sum, typename Factor = Sum>
cublasStatus_t run(const Product& p) {
  const bool on_device = p.handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  Factor factors[2];
  if (on_device) {
    // A copy to the host: kernels take factors of the type of the sum.
    cudaMemcpyAsync(&factors[0], p.alpha, sizeof(Factor), cudaMemcpyDeviceToHost, p.handle->stream);
    cudaMemcpyAsync(&factors[1], p.beta, sizeof(Factor), cudaMemcpyDeviceToHost, p.handle->stream);
    const cudaError_t error = cudaStreamSynchronize(p.handle->stream);
    if (error != cudaSuccess) return status_of(error);
  } else {
    factors[0] = *(const Factor*)p.alpha;
    factors[1] = *(const Factor*)p.beta;
  }
  const Target<Out> result = {
      {(Out*)p.c.base, (Out* const*)p.c.array, p.c.distance}, 1, p.c.leading};
  return status_of(gemm<In, Out, Sum>(p.handle->stream, p.m, p.n, p.k,
                                      known_scalar(Sum(factors[0])),
                                      applied(view(batch_of<In>(p.a), p.a.leading), p.transa),
                                      applied(view(batch_of<In>(p.b), p.b.leading), p.transb),
                                      known_scalar(Sum(factors[1])), result, p.batches));
}

cublasStatus_t run_typed(const Product& p, cudaDataType in, cudaDataType other, cudaDataType out,
                         cublasComputeType_t compute) {
  RADDLE_CHECK_HANDLE(p.handle);
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.batches < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const bool half_factors = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  const bool in_int = compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC;
  if (in != other) return not_supported("a product of matrices of two types");
  if (in == CUDA_R_16F && out == CUDA_R_16F)
    return half_factors ? run<__half, __half, float, __half>(p) : run<__half, __half, float>(p);
  if (in == CUDA_R_16F && out == CUDA_R_32F) return run<__half, float, float>(p);
  if (in == CUDA_R_16BF && out == CUDA_R_16BF) return run<__nv_bfloat16, __nv_bfloat16, float>(p);
  if (in == CUDA_R_16BF && out == CUDA_R_32F) return run<__nv_bfloat16, float, float>(p);
  if (in == CUDA_R_8I && out == CUDA_R_32I && in_int) return run<signed char, int, int>(p);
  if (in == CUDA_R_8I && out == CUDA_R_32F) return run<signed char, float, float>(p);
  if (in == CUDA_R_32F && out == CUDA_R_32F) return run<float, float, float>(p);
  if (in == CUDA_R_64F && out == CUDA_R_64F) return run<double, double, double>(p);
  if (in == CUDA_C_32F && out == CUDA_C_32F)
    return run<Complex<float>, Complex<float>, Complex<float>>(p);
  if (in == CUDA_C_64F && out == CUDA_C_64F)
    return run<Complex<double>, Complex<double>, Complex<double>>(p);
  return not_supported("cublasGemmEx with these types");
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long int stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long int stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long int stride_c, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  const Product product = {handle,
                           transa,
                           transb,
                           m,
                           n,
                           k,
                           alpha,
                           beta,
                           {a, nullptr, stride_a, lda},
                           {b, nullptr, stride_b, ldb},
                           {c, nullptr, stride_c, ldc},
                           batches};
  return run_typed(product, a_type, b_type, c_type, compute);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType a_type, int lda,
                                   const void* const b[], cudaDataType b_type, int ldb,
                                   const void* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const Product product = {handle,
                           transa,
                           transb,
                           m,
                           n,
                           k,
                           alpha,
                           beta,
                           {nullptr, a, 0, lda},
                           {nullptr, b, 0, ldb},
                           {nullptr, (const void* const*)c, 0, ldc},
                           batches};
  return run_typed(product, a_type, b_type, c_type, compute);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, 0, b,
                                    b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c,
                             cudaDataType c_type, int ldc) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                      c, c_type, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc) {
  return cublasHgemmStridedBatched(handle, transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0,
                                   beta, c, ldc, 0, 1);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const __half* alpha, const __half* const a[], int lda,
                                  const __half* const b[], int ldb, const __half* beta,
                                  __half* const c[], int ldc, int batches) {
  return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, (const void* const*)a,
                             CUDA_R_16F, lda, (const void* const*)b, CUDA_R_16F, ldb, beta,
                             (void* const*)c, CUDA_R_16F, ldc, batches, CUBLAS_COMPUTE_16F,
                             CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long int stride_a, const __half* b, int ldb,
                                         long long int stride_b, const __half* beta, __half* c,
                                         int ldc, long long int stride_c, int batches) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, CUDA_R_16F, lda,
                                    stride_a, b, CUDA_R_16F, ldb, stride_b, beta, c, CUDA_R_16F,
                                    ldc, stride_c, batches, CUBLAS_COMPUTE_16F,
                                    CUBLAS_GEMM_DEFAULT);
}

}  // extern "C"
