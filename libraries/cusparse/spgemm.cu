// Sparse times sparse: a thread per row writes all products of its row, sorts them by column and
// adds up equal ones. The result waits in the descriptor until it is copied.
#include "matrix.h"

struct cusparseSpGEMMDescr {
  void* offsets = nullptr;  // of rows among the products, and how many are left of each
  void* columns = nullptr;
  void* values = nullptr;
  long long* left = nullptr;  // offsets of the result
  void clear() {
    for (void* p : {offsets, columns, values, (void*)left}) cudaFree(p);
    offsets = columns = values = nullptr;
    left = nullptr;
  }
};

namespace raddle_cusparse {
namespace {

// `product_rows` of A times B.
template <typename T>
cusparseStatus_t multiply(cusparseHandle_t handle, const void* alpha, const cusparseSpMatDescr& a,
                          const cusparseSpMatDescr& b, cusparseSpMatDescr& c,
                          cusparseSpGEMMDescr& work) {
  const Sparse<T> left = sparse<T>(a), right = sparse<T>(b);
  const Scalar<T> factor = scalar<T>(handle, alpha);
  const long long rows = a.rows;
  work.clear();
  cudaError_t error = cudaMalloc(&work.offsets, (rows + 1) * sizeof(long long));
  if (error == cudaSuccess) error = cudaMalloc((void**)&work.left, (rows + 1) * sizeof(long long));
  if (error != cudaSuccess) return status_of(error);
  const Indices offsets = {work.offsets, true, 0}, kept = {work.left, true, 0};
  each(handle, rows, [=] __device__(long long row) {
    long long products = 0;
    for (long long i = left.offsets[row]; i < left.offsets[row + 1]; ++i) {
      const long long k = left.others[i];
      products += right.offsets[k + 1] - right.offsets[k];
    }
    offsets.set(row + 1, products);
  });
  counts_to_offsets(handle, rows, offsets);
  const auto total = [&](const Indices& of) {
    long long result = 0;
    cudaMemcpyAsync(&result, (long long*)of.p + rows, sizeof(result), cudaMemcpyDeviceToHost,
                    handle->stream);
    error = cudaStreamSynchronize(handle->stream);
    return result;
  };
  const long long products = total(offsets);
  if (error == cudaSuccess) error = cudaMalloc(&work.columns, (products + 1) * sizeof(long long));
  if (error == cudaSuccess) error = cudaMalloc(&work.values, (products + 1) * sizeof(T));
  if (error != cudaSuccess) return status_of(error);
  long long* all_columns = (long long*)work.columns;
  T* all_values = (T*)work.values;
  each(handle, rows, [=] __device__(long long row) {
    long long* column = all_columns + offsets[row];
    T* value = all_values + offsets[row];
    long long n = 0;
    for (long long i = left.offsets[row]; i < left.offsets[row + 1]; ++i) {
      const long long k = left.others[i];
      for (long long j = right.offsets[k]; j < right.offsets[k + 1]; ++j, ++n) {
        column[n] = right.others[j];
        value[n] = factor.get() * left.values[i] * right.values[j];
      }
    }
    sort_range(
        n, [&](long long i, long long j) { return column[i] < column[j]; },
        [&](long long i, long long j) {
          const long long x = column[i];
          column[i] = column[j], column[j] = x;
          const T y = value[i];
          value[i] = value[j], value[j] = y;
        });
    long long last = -1;
    for (long long i = 0; i < n; ++i) {
      if (last >= 0 && column[last] == column[i]) {
        value[last] = value[last] + value[i];
      } else {
        ++last;
        column[last] = column[i], value[last] = value[i];
      }
    }
    kept.set(row + 1, last + 1);
  });
  counts_to_offsets(handle, rows, kept);
  c.nnz = total(kept);
  return status_of(error);
}

template <typename T>
cusparseStatus_t copy(cusparseHandle_t handle, const void* beta, const cusparseSpMatDescr& c,
                      const cusparseSpGEMMDescr& work) {
  const Sparse<T> result = sparse<T>(c);
  const Scalar<T> old = scalar<T>(handle, beta);
  const Indices offsets = {work.offsets, true, 0}, kept = {work.left, true, 0};
  const long long* columns = (const long long*)work.columns;
  const T* values = (const T*)work.values;
  const long long rows = c.rows;
  return each(handle, rows, [=] __device__(long long row) {
    if (row == 0) result.offsets.set(0, 0);
    result.offsets.set(row + 1, kept[row + 1]);
    for (long long i = 0; i < kept[row + 1] - kept[row]; ++i) {
      const long long place = kept[row] + i;
      result.others.set(place, columns[offsets[row] + i]);
      const T x = values[offsets[row] + i];
      // What C held is of the same pattern, or beta is 0.
      result.values[place] = old.get() == T(0) ? x : x + old.get() * result.values[place];
    }
  });
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                       const cusparseSpMatDescr& a, const cusparseSpMatDescr& b,
                       const cusparseSpMatDescr& c, cudaDataType compute) {
  RADDLE_CHECK_HANDLE(handle);
  if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b != CUSPARSE_OPERATION_NON_TRANSPOSE)
    return not_supported("cusparseSpGEMM of a transposed matrix");
  if (a.format != CUSPARSE_FORMAT_CSR || b.format != CUSPARSE_FORMAT_CSR ||
      c.format != CUSPARSE_FORMAT_CSR || a.type != compute || b.type != compute ||
      c.type != compute)
    return not_supported("cusparseSpGEMM of other formats than CSR or of several types");
  if (a.columns != b.rows || a.rows != c.rows || b.columns != c.columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace raddle_cusparse

using namespace raddle_cusparse;

extern "C" {

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descriptor) {
  *descriptor = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descriptor) {
  descriptor->clear();
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
// Buffers are asked for, as programs allocate what they are told, and left alone.
cusparseStatus_t cusparseSpGEMM_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void*,
    cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void*, cusparseSpMatDescr_t c,
    cudaDataType compute, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t, size_t* bytes, void*) {
  *bytes = 16;
  return check(handle, op_a, op_b, *a, *b, *c, compute);
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
                                        cusparseOperation_t op_b, const void* alpha,
                                        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void*, cusparseSpMatDescr_t c, cudaDataType compute,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor,
                                        size_t* bytes, void* buffer) {
  const cusparseStatus_t status = check(handle, op_a, op_b, *a, *b, *c, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  *bytes = 16;
  if (buffer == nullptr) return CUSPARSE_STATUS_SUCCESS;
  return with_type(compute, [&](auto zero) {
    return multiply<decltype(zero)>(handle, alpha, *a, *b, *c, *descriptor);
  });
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t,
                                     cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                     cusparseConstSpMatDescr_t, const void* beta,
                                     cusparseSpMatDescr_t c, cudaDataType compute,
                                     cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor) {
  RADDLE_CHECK_HANDLE(handle);
  if (descriptor->left == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return with_type(compute,
                   [&](auto zero) { return copy<decltype(zero)>(handle, beta, *c, *descriptor); });
}

}  // extern "C"
