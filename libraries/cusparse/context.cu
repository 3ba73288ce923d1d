// Handles and descriptors.
#include <stdio.h>
#include <string.h>

#include <set>
#include <string>

#include "matrix.h"

namespace raddle_cusparse {

cusparseStatus_t not_supported(const char* what) {
  static std::set<std::string> said;
  if (said.insert(what).second) fprintf(stderr, "raddle: cuSPARSE: %s is not supported\n", what);
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}

namespace {

// One block goes over all counts, a thousand at a time.
__global__ void scan_kernel(long long n, Indices offsets) {
  __shared__ long long sums[1024];
  long long before = 0;
  if (threadIdx.x == 0) offsets.set(0, 0);
  for (long long start = 0; start < n; start += 1024) {
    const long long i = start + threadIdx.x;
    sums[threadIdx.x] = i < n ? offsets[i + 1] : 0;
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
      const long long left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < n) offsets.set(i + 1, before + sums[threadIdx.x]);
    before += sums[1023];
    __syncthreads();
  }
}

template <typename Descriptor>
cusparseStatus_t destroy(const Descriptor* descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t create(cusparseSpMatDescr_t* matrix, cusparseFormat_t format, int64_t rows,
                        int64_t columns, int64_t nnz, void* offsets, void* indices, void* values,
                        cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                        cusparseIndexBase_t base, cudaDataType type) {
  if (matrix == nullptr || rows < 0 || columns < 0 || nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (offset_type == CUSPARSE_INDEX_16U || index_type == CUSPARSE_INDEX_16U)
    return not_supported("an index of 16 bits");
  *matrix = new cusparseSpMatDescr{format, rows,        columns,    nnz,  offsets, indices,
                                   values, offset_type, index_type, base, type};
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t set_pointers(cusparseSpMatDescr_t matrix, void* offsets, void* indices,
                              void* values) {
  matrix->offsets = offsets, matrix->indices = indices, matrix->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

cusparseStatus_t counts_to_offsets(cusparseHandle_t handle, long long n, Indices offsets) {
  scan_kernel<<<1, 1024, 0, handle->stream>>>(n, offsets);
  return status_of(cudaGetLastError());
}

}  // namespace raddle_cusparse

using namespace raddle_cusparse;

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return destroy(handle); }
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int* version) {
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUSPARSE_VER_MAJOR
           : type == MINOR_VERSION ? CUSPARSE_VER_MINOR
                                   : CUSPARSE_VER_PATCH;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  RADDLE_CHECK_HANDLE(handle);
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  RADDLE_CHECK_HANDLE(handle);
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  RADDLE_CHECK_HANDLE(handle);
  handle->pointer_mode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  RADDLE_CHECK_HANDLE(handle);
  *mode = handle->pointer_mode;
  return CUSPARSE_STATUS_SUCCESS;
}
const char* cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
    case CUSPARSE_STATUS_SUCCESS: return "CUSPARSE_STATUS_SUCCESS";
    case CUSPARSE_STATUS_NOT_INITIALIZED: return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case CUSPARSE_STATUS_ALLOC_FAILED: return "CUSPARSE_STATUS_ALLOC_FAILED";
    case CUSPARSE_STATUS_INVALID_VALUE: return "CUSPARSE_STATUS_INVALID_VALUE";
    case CUSPARSE_STATUS_ARCH_MISMATCH: return "CUSPARSE_STATUS_ARCH_MISMATCH";
    case CUSPARSE_STATUS_MAPPING_ERROR: return "CUSPARSE_STATUS_MAPPING_ERROR";
    case CUSPARSE_STATUS_EXECUTION_FAILED: return "CUSPARSE_STATUS_EXECUTION_FAILED";
    case CUSPARSE_STATUS_INTERNAL_ERROR: return "CUSPARSE_STATUS_INTERNAL_ERROR";
    case CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
      return "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED";
    case CUSPARSE_STATUS_ZERO_PIVOT: return "CUSPARSE_STATUS_ZERO_PIVOT";
    case CUSPARSE_STATUS_NOT_SUPPORTED: return "CUSPARSE_STATUS_NOT_SUPPORTED";
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES: return "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES";
  }
  return "unknown status";
}
const char* cusparseGetErrorString(cusparseStatus_t status) { return cusparseGetErrorName(status); }

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) {
  *descriptor = new cusparseMatDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
  return destroy(descriptor);
}
#define SETTING(Name, Type, member)                                                  \
  cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descriptor, Type value) { \
    descriptor->member = value;                                                      \
    return CUSPARSE_STATUS_SUCCESS;                                                  \
  }                                                                                  \
  Type cusparseGetMat##Name(const cusparseMatDescr_t descriptor) { return descriptor->member; }
SETTING(Type, cusparseMatrixType_t, type)
SETTING(FillMode, cusparseFillMode_t, fill)
SETTING(DiagType, cusparseDiagType_t, diagonal)
SETTING(IndexBase, cusparseIndexBase_t, base)

#define VALUES(Name, Descriptor)                                                     \
  cusparseStatus_t cusparse##Name##GetValues(Descriptor descriptor, void** values) { \
    *values = descriptor->values;                                                    \
    return CUSPARSE_STATUS_SUCCESS;                                                  \
  }                                                                                  \
  cusparseStatus_t cusparse##Name##SetValues(Descriptor descriptor, void* values) {  \
    descriptor->values = values;                                                     \
    return CUSPARSE_STATUS_SUCCESS;                                                  \
  }
VALUES(SpVec, cusparseSpVecDescr_t)
VALUES(DnVec, cusparseDnVecDescr_t)
VALUES(DnMat, cusparseDnMatDescr_t)
VALUES(SpMat, cusparseSpMatDescr_t)

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* vector, int64_t size, int64_t nnz,
                                     void* indices, void* values, cusparseIndexType_t index_type,
                                     cusparseIndexBase_t base, cudaDataType type) {
  if (index_type == CUSPARSE_INDEX_16U) return not_supported("an index of 16 bits");
  *vector = new cusparseSpVecDescr{
      size, nnz, {indices, index_type == CUSPARSE_INDEX_64I, base}, values, type};
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values,
                                     cudaDataType type) {
  *vector = new cusparseDnVecDescr{size, values, type};
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* vector, int64_t size,
                                          const void* values, cudaDataType type) {
  *vector = new cusparseDnVecDescr{size, (void*)values, type};
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t* size, void** values,
                                  cudaDataType* type) {
  *size = vector->size, *values = vector->values, *type = vector->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t columns,
                                     int64_t ld, void* values, cudaDataType type,
                                     cusparseOrder_t order) {
  if (rows < 0 || columns < 0 || ld < (order == CUSPARSE_ORDER_COL ? rows : columns))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *matrix = new cusparseDnMatDescr{rows, columns, ld, values, type, order};
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* matrix, int64_t rows,
                                          int64_t columns, int64_t ld, const void* values,
                                          cudaDataType type, cusparseOrder_t order) {
  return cusparseCreateDnMat((cusparseDnMatDescr_t*)matrix, rows, columns, ld, (void*)values, type,
                             order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t* rows, int64_t* columns,
                                  int64_t* ld, void** values, cudaDataType* type,
                                  cusparseOrder_t* order) {
  *rows = matrix->rows, *columns = matrix->columns, *ld = matrix->ld;
  *values = matrix->values, *type = matrix->type, *order = matrix->order;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns,
                                   int64_t nnz, void* offsets, void* indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
  return create(matrix, CUSPARSE_FORMAT_CSR, rows, columns, nnz, offsets, indices, values,
                offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* matrix, int64_t rows,
                                        int64_t columns, int64_t nnz, const void* offsets,
                                        const void* indices, const void* values,
                                        cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type) {
  return cusparseCreateCsr((cusparseSpMatDescr_t*)matrix, rows, columns, nnz, (void*)offsets,
                           (void*)indices, (void*)values, offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns,
                                   int64_t nnz, void* offsets, void* indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
  return create(matrix, CUSPARSE_FORMAT_CSC, rows, columns, nnz, offsets, indices, values,
                offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns,
                                   int64_t nnz, void* row_indices, void* column_indices,
                                   void* values, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
  return create(matrix, CUSPARSE_FORMAT_COO, rows, columns, nnz, row_indices, column_indices,
                values, index_type, index_type, base, type);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* offsets, void* indices,
                                        void* values) {
  return set_pointers(matrix, offsets, indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void* offsets, void* indices,
                                        void* values) {
  return set_pointers(matrix, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* row_indices,
                                        void* column_indices, void* values) {
  return set_pointers(matrix, row_indices, column_indices, values);
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* columns,
                                int64_t* nnz, void** offsets, void** indices, void** values,
                                cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,
                                cusparseIndexBase_t* base, cudaDataType* type) {
  *rows = matrix->rows, *columns = matrix->columns, *nnz = matrix->nnz;
  *offsets = matrix->offsets, *indices = matrix->indices, *values = matrix->values;
  *offset_type = matrix->offset_type, *index_type = matrix->index_type;
  *base = matrix->base, *type = matrix->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows,
                                      int64_t* columns, int64_t* nnz) {
  *rows = matrix->rows, *columns = matrix->columns, *nnz = matrix->nnz;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix,
                                        cusparseFormat_t* format) {
  *format = matrix->format;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix,
                                           cusparseIndexBase_t* base) {
  *base = matrix->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
  if (bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
    memcpy(&matrix->fill, data, bytes);
  } else {
    memcpy(&matrix->diagonal, data, bytes);
  }
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
  if (bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
    memcpy(data, &matrix->fill, bytes);
  } else {
    memcpy(data, &matrix->diagonal, bytes);
  }
  return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
