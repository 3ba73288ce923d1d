// Between dense matrices, CSR, CSC and COO, and sorting the elements of rows.
#include "matrix.h"

namespace raddle_cusparse {
namespace {

// The line and the place in it of a dense matrix that becomes CSR or CSC.
template <typename T>
__device__ T element(const Dense<T>& a, bool by_columns, long long line, long long other) {
  return by_columns ? a.at(other, line) : a.at(line, other);
}

// Elements that are not zero, by line. COO needs offsets too: they are in the buffer.
struct Lines {
  Indices offsets;
  long long lines, width;
  bool by_columns;
};
Lines lines_of(const cusparseSpMatDescr& b, void* buffer) {
  const bool by_columns = b.format == CUSPARSE_FORMAT_CSC;
  const Indices offsets = b.format == CUSPARSE_FORMAT_COO
                              ? Indices{buffer, true, 0}
                              : Indices{b.offsets, b.offset_type == CUSPARSE_INDEX_64I, b.base};
  return {offsets, by_columns ? b.columns : b.rows, by_columns ? b.rows : b.columns, by_columns};
}

template <typename T>
cusparseStatus_t count(cusparseHandle_t handle, const cusparseDnMatDescr& a, cusparseSpMatDescr& b,
                       void* buffer) {
  const Dense<T> from = dense<T>(a);
  const Lines to = lines_of(b, buffer);
  each(handle, to.lines, [=] __device__(long long line) {
    long long found = 0;
    for (long long i = 0; i < to.width; ++i)
      found += !(element(from, to.by_columns, line, i) == T(0));
    to.offsets.set(line + 1, found);
  });
  // set() and [] both mind the base, so that counts stay counts.
  const cusparseStatus_t status = counts_to_offsets(handle, to.lines, to.offsets);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  long long total = 0;
  const size_t size = to.offsets.wide ? 8 : 4;
  cudaMemcpyAsync(&total, (const char*)to.offsets.p + to.lines * size, size, cudaMemcpyDeviceToHost,
                  handle->stream);
  const cudaError_t error = cudaStreamSynchronize(handle->stream);
  b.nnz = total - to.offsets.base;
  return status_of(error);
}

template <typename T>
cusparseStatus_t fill(cusparseHandle_t handle, const cusparseDnMatDescr& a,
                      const cusparseSpMatDescr& b, void* buffer) {
  const Dense<T> from = dense<T>(a);
  const Lines to = lines_of(b, buffer);
  const Sparse<T> result = sparse<T>(b);
  return each(handle, to.lines, [=] __device__(long long line) {
    long long next = to.offsets[line];
    for (long long i = 0; i < to.width; ++i) {
      const T x = element(from, to.by_columns, line, i);
      if (x == T(0)) continue;
      if (result.listed) result.line_of.set(next, line);
      result.others.set(next, i);
      result.values[next++] = x;
    }
  });
}

// Rows of the transposed matrix: counted, filled in any order, then sorted.
template <typename T>
cusparseStatus_t transpose(cusparseHandle_t handle, int m, int n, const T* values, Indices offsets,
                           Indices columns, T* out_values, Indices out_offsets, Indices rows,
                           int* next) {
  const bool numeric = out_values != nullptr;
  cudaMemsetAsync(next, 0, n * sizeof(int), handle->stream);
  each(handle, m, [=] __device__(long long row) {
    for (long long i = offsets[row]; i < offsets[row + 1]; ++i) atomicAdd(&next[columns[i]], 1);
  });
  each(handle, n, [=] __device__(long long column) {
    out_offsets.set(column + 1, next[column]);
    next[column] = 0;
  });
  counts_to_offsets(handle, n, out_offsets);
  each(handle, m, [=] __device__(long long row) {
    for (long long i = offsets[row]; i < offsets[row + 1]; ++i) {
      const long long place = out_offsets[columns[i]] + atomicAdd(&next[columns[i]], 1);
      rows.set(place, row);
      if (numeric) out_values[place] = values[i];
    }
  });
  return each(handle, n, [=] __device__(long long column) {
    const long long first = out_offsets[column];
    sort_range(
        out_offsets[column + 1] - first,
        [&](long long i, long long j) { return rows[first + i] < rows[first + j]; },
        [&](long long i, long long j) {
          const long long row = rows[first + i];
          rows.set(first + i, rows[first + j]);
          rows.set(first + j, row);
          if (!numeric) return;
          const T x = out_values[first + i];
          out_values[first + i] = out_values[first + j];
          out_values[first + j] = x;
        });
  });
}

}  // namespace
}  // namespace raddle_cusparse

using namespace raddle_cusparse;

extern "C" {

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t, cusparseDnMatDescr_t,
                                                  cusparseSparseToDenseAlg_t, size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  if (a->rows != b->rows || a->columns != b->columns || a->type != b->type)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return with_type(a->type, [&](auto zero) {
    using T = decltype(zero);
    const Sparse<T> from = sparse<T>(*a);
    const Dense<T> to = dense<T>(*b);
    const bool by_columns = a->format == CUSPARSE_FORMAT_CSC;
    const long long rows = a->rows;
    each(handle, a->rows * a->columns,
         [=] __device__(long long i) { to.at(i % rows, i / rows) = T(0); });
    return each(handle, from.listed ? from.elements : from.lines, [=] __device__(long long i) {
      const long long end = from.listed ? i + 1 : from.offsets[i + 1];
      for (long long e = from.listed ? i : from.offsets[i]; e < end; ++e) {
        const long long line = from.listed ? from.line_of[e] : i, other = from.others[e];
        (by_columns ? to.at(other, line) : to.at(line, other)) = from.values[e];
      }
    });
  });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t,
                                                  cusparseDenseToSparseAlg_t, size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = (a->rows + 1) * sizeof(long long);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
                                                cusparseDenseToSparseAlg_t, void* buffer) {
  RADDLE_CHECK_HANDLE(handle);
  if (a->rows != b->rows || a->columns != b->columns || a->type != b->type)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return with_type(a->type,
                   [&](auto zero) { return count<decltype(zero)>(handle, *a, *b, buffer); });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t,
                                               void* buffer) {
  RADDLE_CHECK_HANDLE(handle);
  return with_type(a->type,
                   [&](auto zero) { return fill<decltype(zero)>(handle, *a, *b, buffer); });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int, int n, int,
                                               const void*, const int*, const int*, void*, int*,
                                               int*, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, cusparseCsr2CscAlg_t,
                                               size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = (size_t)(n > 0 ? n : 1) * sizeof(int);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int, const void* values,
                                    const int* offsets, const int* indices, void* csc_values,
                                    int* csc_offsets, int* csc_indices, cudaDataType type,
                                    cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t, void* buffer) {
  RADDLE_CHECK_HANDLE(handle);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return transpose<T>(handle, m, n, (const T*)values, {(void*)offsets, false, base},
                        {(void*)indices, false, base},
                        action == CUSPARSE_ACTION_NUMERIC ? (T*)csc_values : nullptr,
                        {csc_offsets, false, base}, {csc_indices, false, base}, (int*)buffer);
  });
}

// Where the rows of sorted elements begin.
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int nnz, int m,
                                  int* offsets, cusparseIndexBase_t base) {
  RADDLE_CHECK_HANDLE(handle);
  return each(handle, m + 1, [=] __device__(long long row) {
    int low = 0, high = nnz;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (rows[middle] - base < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[row] = low + base;
  });
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int, int m,
                                  int* rows, cusparseIndexBase_t base) {
  RADDLE_CHECK_HANDLE(handle);
  return each(handle, m, [=] __device__(long long row) {
    for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i) rows[i] = (int)row + base;
  });
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  RADDLE_CHECK_HANDLE(handle);
  return each(handle, n, [=] __device__(long long i) { p[i] = (int)i; });
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int*,
                                                const int*, size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int, int,
                                  const cusparseMatDescr_t descriptor, const int* offsets,
                                  int* indices, int* p, void*) {
  RADDLE_CHECK_HANDLE(handle);
  const int base = descriptor->base;
  return each(handle, m, [=] __device__(long long row) {
    int* index = indices + offsets[row] - base;
    int* place = p == nullptr ? nullptr : p + offsets[row] - base;
    sort_range(
        offsets[row + 1] - offsets[row],
        [&](long long i, long long j) { return index[i] < index[j]; },
        [&](long long i, long long j) {
          const int x = index[i];
          index[i] = index[j], index[j] = x;
          if (place == nullptr) return;
          const int y = place[i];
          place[i] = place[j], place[j] = y;
        });
  });
}

}  // extern "C"
