// A handle of cuBLAS and what all of its functions share.
#ifndef RADDLE_CUBLAS_CONTEXT_H
#define RADDLE_CUBLAS_CONTEXT_H

#include <cublas_v2.h>

#include "../common/gemm.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
};

namespace raddle_libraries {

inline cublasStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

// Device memory of the handle; null where there is none left.
void* workspace(cublasHandle_t handle, size_t bytes);

// Says once what is missing, and returns CUBLAS_STATUS_NOT_SUPPORTED.
cublasStatus_t not_supported(const char* what);

template <typename T>
Scalar<T> scalar(cublasHandle_t handle, const T* p) {
  if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return {T(0), p};
  return {*p, nullptr};
}

template <typename T>
View<T> applied(View<T> x, cublasOperation_t operation) {
  if (operation == CUBLAS_OP_N) return x;
  return transposed(x, operation == CUBLAS_OP_C);
}
inline Part part_of(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? Part::kLower : Part::kUpper;
}

// A vector as a column; one with a negative increment is stored backwards.
template <typename T>
T* first_element(T* x, int n, int step) {
  return step < 0 ? x - (long long)(n - 1) * step : x;
}
template <typename T>
View<T> column(const T* x, int n, int step) {
  return {{first_element(x, n, step), nullptr, 0}, step, 0};
}

// The functions of all four types: BODY uses X (the letter), T (the interface's type) and
// Number<T>.
#define RADDLE_FOUR_TYPES(BODY) \
  BODY(S, float)                \
  BODY(D, double)               \
  BODY(C, cuComplex)            \
  BODY(Z, cuDoubleComplex)

#define RADDLE_CHECK_HANDLE(handle) \
  if ((handle) == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED

}  // namespace raddle_libraries

#endif
