// cuBLASXt: matrices are copied to the device whole, so its memory must hold them.
#include <cublasXt.h>

#include "context.h"

struct cublasXtContext {
  cublasHandle_t handle = nullptr;
  int side = 1024;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

namespace raddle_libraries {
namespace {

// A matrix without gaps between its columns on the device.
template <typename T>
class Copy {
 public:
  Copy(size_t rows, size_t columns) : rows_(rows), columns_(columns) {
    if (rows * columns != 0) error_ = cudaMalloc(&data_, rows * columns * sizeof(T));
  }
  ~Copy() { cudaFree(data_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  void load(const T* from, size_t leading) {
    if (error_ == cudaSuccess && data_ != nullptr)
      error_ = cudaMemcpy2D(data_, rows_ * sizeof(T), from, leading * sizeof(T), rows_ * sizeof(T),
                            columns_, cudaMemcpyDefault);
  }
  cudaError_t store(T* to, size_t leading) const {
    return cudaMemcpy2D(to, leading * sizeof(T), data_, rows_ * sizeof(T), rows_ * sizeof(T),
                        columns_, cudaMemcpyDefault);
  }
  T* data() const { return data_; }
  int leading() const { return rows_ > 0 ? (int)rows_ : 1; }
  cudaError_t error() const { return error_; }

 private:
  size_t rows_, columns_;
  T* data_ = nullptr;
  cudaError_t error_ = cudaSuccess;
};

template <typename T, typename Multiply>
cublasStatus_t multiply_from_host(cublasXtHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, size_t m, size_t n, size_t k,
                                  const T* alpha, const T* a, size_t lda, const T* b, size_t ldb,
                                  const T* beta, T* c, size_t ldc, Multiply gemm) {
  RADDLE_CHECK_HANDLE(handle);
  if (m > 0x7fffffff || n > 0x7fffffff || k > 0x7fffffff)
    return not_supported("cublasXt with a side of more than 2^31 - 1");
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool a_plain = transa == CUBLAS_OP_N, b_plain = transb == CUBLAS_OP_N;
  Copy<T> left(a_plain ? m : k, a_plain ? k : m), right(b_plain ? k : n, b_plain ? n : k);
  Copy<T> result(m, n);
  left.load(a, lda);
  right.load(b, ldb);
  result.load(c, ldc);
  for (const cudaError_t error : {left.error(), right.error(), result.error()}) {
    if (error != cudaSuccess) return status_of(error);
  }
  const cublasStatus_t status =
      gemm(handle->handle, transa, transb, (int)m, (int)n, (int)k, alpha, left.data(),
           left.leading(), right.data(), right.leading(), beta, result.data(), result.leading());
  return status != CUBLAS_STATUS_SUCCESS ? status : status_of(result.store(c, ldc));
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasXtContext;
  return cublasCreate(&(*handle)->handle);
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  RADDLE_CHECK_HANDLE(handle);
  cublasDestroy(handle->handle);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
// All work is done on the current device; others may be named as well.
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]) {
  RADDLE_CHECK_HANDLE(handle);
  int existing = 0;
  cudaGetDeviceCount(&existing);
  for (int i = 0; i < count; ++i) {
    if (devices[i] < 0 || devices[i] >= existing) return CUBLAS_STATUS_INVALID_VALUE;
  }
  return count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int side) {
  RADDLE_CHECK_HANDLE(handle);
  if (side <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->side = side;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* side) {
  RADDLE_CHECK_HANDLE(handle);
  *side = handle->side;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode) {
  RADDLE_CHECK_HANDLE(handle);
  handle->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode) {
  RADDLE_CHECK_HANDLE(handle);
  *mode = handle->pinning;
  return CUBLAS_STATUS_SUCCESS;
}

#define BODY(X, T)                                                                                 \
  cublasStatus_t cublasXt##X##gemm(cublasXtHandle_t handle, cublasOperation_t transa,              \
                                   cublasOperation_t transb, size_t m, size_t n, size_t k,         \
                                   const T* alpha, const T* a, size_t lda, const T* b, size_t ldb, \
                                   const T* beta, T* c, size_t ldc) {                              \
    return multiply_from_host(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c,     \
                              ldc, cublas##X##gemm);                                               \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

}  // extern "C"
