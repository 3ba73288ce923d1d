// A handle of cuSOLVER and what its functions share. Products and triangular systems are cuBLAS's.
#ifndef RADDLE_CUSOLVER_CONTEXT_H
#define RADDLE_CUSOLVER_CONTEXT_H

#include <cusolverDn.h>

#include "../common/gemm.h"

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};

namespace raddle_cusolver {

using namespace raddle_libraries;

constexpr int kPanel = 32;

inline cusolverStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUSOLVER_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUSOLVER_STATUS_ALLOC_FAILED
                                            : CUSOLVER_STATUS_EXECUTION_FAILED;
}
inline bool is_leading(int ld, int rows) { return rows >= 0 && ld >= (rows > 1 ? rows : 1); }
inline unsigned blocks_for(long long n) { return (unsigned)((n + 127) / 128); }

template <typename T>
View<T> applied(View<T> x, cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? x : transposed(x, operation == CUBLAS_OP_C);
}

template <typename Work>
__global__ void each_kernel(long long n, Work work) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) work(i);
}
template <typename Work>
void each(cudaStream_t stream, long long n, Work work) {
  if (n > 0) each_kernel<<<blocks_for(n), 128, 0, stream>>>(n, work);
}

// The sum over a block of 128 threads, known to all of them.
template <typename T>
__device__ T sum_of_block(T x) {
  __shared__ T sums[128];
  __syncthreads();
  sums[threadIdx.x] = x;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

// qr.cu: factors A into reflectors and R; applies Q or its adjoint to C from the left or right; and
// writes Q's first columns out, where `v` holds the reflectors.
template <typename T>
void factor_qr(cudaStream_t stream, int m, int n, T* a, int lda, T* tau);
template <typename T>
void apply_q(cudaStream_t stream, bool left, bool adjoint, int m, int n, int k, const T* v, int ldv,
             const T* tau, T* c, int ldc);
template <typename T>
void identity(cudaStream_t stream, int m, int n, T* a, int lda);

#define RADDLE_CHECK_HANDLE(handle) \
  if ((handle) == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED

#define RADDLE_FOUR_TYPES(BODY)               \
  BODY(S, float, float, ormqr, orgqr, sy)     \
  BODY(D, double, double, ormqr, orgqr, sy)   \
  BODY(C, cuComplex, float, unmqr, ungqr, he) \
  BODY(Z, cuDoubleComplex, double, unmqr, ungqr, he)

}  // namespace raddle_cusolver

#endif
