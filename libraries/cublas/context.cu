// Handles, their settings, and copies of vectors and matrices between host and device.
#include <stdio.h>

#include <set>
#include <string>

#include "context.h"

namespace raddle_libraries {

void* workspace(cublasHandle_t handle, size_t bytes) {
  if (handle->workspace_bytes >= bytes) return handle->workspace;
  cudaFree(handle->workspace);
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  if (cudaMalloc(&handle->workspace, bytes) != cudaSuccess) return nullptr;
  handle->workspace_bytes = bytes;
  return handle->workspace;
}

cublasStatus_t not_supported(const char* what) {
  static std::set<std::string> said;
  if (said.insert(what).second) fprintf(stderr, "raddle: cuBLAS: %s is not supported\n", what);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

namespace {

cublasStatus_t copy(int rows, int columns, int size, const void* from, int from_step, void* to,
                    int to_step, cudaMemcpyKind kind, cudaStream_t stream) {
  if (rows < 0 || columns < 0 || size <= 0 || from_step <= 0 || to_step <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  const cudaError_t error =
      cudaMemcpy2DAsync(to, (size_t)to_step * size, from, (size_t)from_step * size,
                        (size_t)rows * size, columns, kind, stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  RADDLE_CHECK_HANDLE(handle);
  cudaFree(handle->workspace);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  RADDLE_CHECK_HANDLE(handle);
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                   : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}
// Memory of the program's own; ours does.
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t) {
  RADDLE_CHECK_HANDLE(handle);
  return CUBLAS_STATUS_SUCCESS;
}

#define SETTING(Name, Type, member)                                    \
  cublasStatus_t cublasSet##Name(cublasHandle_t handle, Type value) {  \
    RADDLE_CHECK_HANDLE(handle);                                       \
    handle->member = value;                                            \
    return CUBLAS_STATUS_SUCCESS;                                      \
  }                                                                    \
  cublasStatus_t cublasGet##Name(cublasHandle_t handle, Type* value) { \
    RADDLE_CHECK_HANDLE(handle);                                       \
    *value = handle->member;                                           \
    return CUBLAS_STATUS_SUCCESS;                                      \
  }
SETTING(Stream, cudaStream_t, stream)
SETTING(PointerMode, cublasPointerMode_t, pointer_mode)
SETTING(AtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(MathMode, cublasMath_t, math)

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "unknown status";
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

// A vector is a matrix with one row.
cublasStatus_t cublasSetVectorAsync(int n, int size, const void* x, int incx, void* device,
                                    int incy, cudaStream_t stream) {
  return copy(1, n, size, x, incx, device, incy, cudaMemcpyHostToDevice, stream);
}
cublasStatus_t cublasGetVectorAsync(int n, int size, const void* device, int incx, void* y,
                                    int incy, cudaStream_t stream) {
  return copy(1, n, size, device, incx, y, incy, cudaMemcpyDeviceToHost, stream);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void* a, int lda,
                                    void* device, int ldb, cudaStream_t stream) {
  return copy(rows, columns, size, a, lda, device, ldb, cudaMemcpyHostToDevice, stream);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void* device, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
  return copy(rows, columns, size, device, lda, b, ldb, cudaMemcpyDeviceToHost, stream);
}
cublasStatus_t cublasSetVector(int n, int size, const void* x, int incx, void* device, int incy) {
  return cublasSetVectorAsync(n, size, x, incx, device, incy, nullptr);
}
cublasStatus_t cublasGetVector(int n, int size, const void* device, int incx, void* y, int incy) {
  return cublasGetVectorAsync(n, size, device, incx, y, incy, nullptr);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* a, int lda,
                               void* device, int ldb) {
  return cublasSetMatrixAsync(rows, columns, size, a, lda, device, ldb, nullptr);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* device, int lda,
                               void* b, int ldb) {
  return cublasGetMatrixAsync(rows, columns, size, device, lda, b, ldb, nullptr);
}

}  // extern "C"
