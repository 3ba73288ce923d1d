// Handles and descriptors of cuSPARSE, and matrices as its kernels see them. Indices may have 32 or
// 64 bits and begin at 0 or 1; kernels ask an Indices and do not care.
#ifndef RADDLE_CUSPARSE_MATRIX_H
#define RADDLE_CUSPARSE_MATRIX_H

#include <cusparse.h>

#include "../common/numbers.h"

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};
struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

namespace raddle_cusparse {

using namespace raddle_libraries;

struct Indices {
  void* p;
  bool wide;
  int base;
  __device__ long long operator[](long long i) const {
    return (wide ? ((const long long*)p)[i] : ((const int*)p)[i]) - base;
  }
  __device__ void set(long long i, long long value) const {
    if (wide) {
      ((long long*)p)[i] = value + base;
    } else {
      ((int*)p)[i] = (int)value + base;
    }
  }
};

template <typename T>
struct Dense {
  T* p;
  long long row_step, column_step;
  __device__ T& at(long long row, long long column) const {
    return p[row * row_step + column * column_step];
  }
};

// CSR, or CSC as the CSR of the transposed matrix: `lines` rows, whose elements are at `others`.
// COO has the line of each element instead of offsets.
template <typename T>
struct Sparse {
  long long lines, width, elements;
  Indices offsets, line_of, others;
  T* values;
  bool listed;  // COO
};

}  // namespace raddle_cusparse

struct cusparseSpVecDescr {
  int64_t size, nnz;
  raddle_cusparse::Indices indices;
  void* values;
  cudaDataType type;
};
struct cusparseDnVecDescr {
  int64_t size;
  void* values;
  cudaDataType type;
};
struct cusparseDnMatDescr {
  int64_t rows, columns, ld;
  void* values;
  cudaDataType type;
  cusparseOrder_t order;
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, columns, nnz;
  void *offsets, *indices, *values;  // of COO: rows, columns, values
  cusparseIndexType_t offset_type, index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};

namespace raddle_cusparse {

constexpr int kThreads = 128;
inline unsigned blocks_for(long long n) { return (unsigned)((n + kThreads - 1) / kThreads); }

inline cusparseStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUSPARSE_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUSPARSE_STATUS_ALLOC_FAILED
                                            : CUSPARSE_STATUS_EXECUTION_FAILED;
}
// Says once what is missing.
cusparseStatus_t not_supported(const char* what);

template <typename T>
Sparse<T> sparse(const cusparseSpMatDescr& m) {
  const bool listed = m.format == CUSPARSE_FORMAT_COO, by_rows = m.format != CUSPARSE_FORMAT_CSC;
  const Indices first = {m.offsets, m.offset_type == CUSPARSE_INDEX_64I, m.base};
  const Indices second = {m.indices, m.index_type == CUSPARSE_INDEX_64I, m.base};
  return {by_rows ? m.rows : m.columns,
          by_rows ? m.columns : m.rows,
          m.nnz,
          first,
          first,
          second,
          (T*)m.values,
          listed};
}
template <typename T>
Dense<T> dense(const cusparseDnMatDescr& m, bool transposes = false) {
  const bool by_columns = (m.order == CUSPARSE_ORDER_COL) != transposes;
  return {(T*)m.values, by_columns ? 1 : m.ld, by_columns ? m.ld : 1};
}
template <typename T>
Scalar<T> scalar(cusparseHandle_t handle, const void* p) {
  if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) return {T(0), (const T*)p};
  return {*(const T*)p, nullptr};
}

template <typename R>
__device__ void add_to(R* place, R x) {
  atomicAdd(place, x);
}
template <typename R>
__device__ void add_to(Complex<R>* place, Complex<R> x) {
  atomicAdd(&place->re, x.re);
  atomicAdd(&place->im, x.im);
}

// Calls work(T()) for the type that a descriptor names.
template <typename Work>
cusparseStatus_t with_type(cudaDataType type, const Work& work) {
  switch (type) {
    case CUDA_R_32F: return work(float());
    case CUDA_R_64F: return work(double());
    case CUDA_C_32F: return work(Complex<float>(0));
    case CUDA_C_64F: return work(Complex<double>(0));
    default: return not_supported("this type of values");
  }
}

template <typename Work>
__global__ void each_kernel(long long n, Work work) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) work(i);
}
template <typename Work>
cusparseStatus_t each(cusparseHandle_t handle, long long n, Work work) {
  if (n <= 0) return CUSPARSE_STATUS_SUCCESS;
  each_kernel<<<blocks_for(n), kThreads, 0, handle->stream>>>(n, work);
  return status_of(cudaGetLastError());
}

// Counts of n lines, which stand at i + 1, become offsets: in scan.cu.
cusparseStatus_t counts_to_offsets(cusparseHandle_t handle, long long n, Indices offsets);

// Sorts elements [first, end) of a line by their index, with what goes along: heap sort, in place.
// Equal indices may change places.
template <typename Less, typename Swap>
__device__ void sort_range(long long n, const Less& less, const Swap& swap) {
  const auto sink = [&](long long root, long long end) {
    for (long long child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && less(child, child + 1)) ++child;
      if (!less(root, child)) return;
      swap(root, child);
    }
  };
  for (long long root = n / 2; root-- > 0;) sink(root, n);
  for (long long end = n; end-- > 1;) {
    swap(0, end);
    sink(0, end);
  }
}

#define RADDLE_CHECK_HANDLE(handle) \
  if ((handle) == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED

}  // namespace raddle_cusparse

#endif
