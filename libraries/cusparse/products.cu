// Products with a sparse matrix: where its lines are the rows of the result, a thread sums up each
// element; where they are not, every element of the matrix is added to the result by atomics.
#include "matrix.h"

namespace raddle_cusparse {
namespace {

template <typename T>
__device__ T conjugated(T x, bool conjugates) {
  return conjugates ? conjugate(x) : x;
}

template <typename T>
__global__ void gather_kernel(Sparse<T> a, bool conjugates, Scalar<T> alpha, Dense<const T> b,
                              bool conjugates_b, Scalar<T> beta, Dense<T> c) {
  const long long line = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (line >= a.lines) return;
  const long long column = blockIdx.y;
  T sum = T(0);
  for (long long i = a.offsets[line]; i < a.offsets[line + 1]; ++i)
    sum = sum +
          conjugated(a.values[i], conjugates) * conjugated(b.at(a.others[i], column), conjugates_b);
  T& place = c.at(line, column);
  T x = alpha.get() * sum;
  if (!(beta.get() == T(0))) x = x + beta.get() * place;
  place = x;
}

// `flips`: the lines of A belong to B.
template <typename T>
__global__ void scatter_kernel(Sparse<T> a, bool flips, bool conjugates, Scalar<T> alpha,
                               Dense<const T> b, bool conjugates_b, Dense<T> c) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= (a.listed ? a.elements : a.lines)) return;
  const long long column = blockIdx.y;
  const long long first = a.listed ? i : a.offsets[i], end = a.listed ? i + 1 : a.offsets[i + 1];
  for (long long e = first; e < end; ++e) {
    const long long line = a.listed ? a.line_of[e] : i, other = a.others[e];
    const T x = conjugated(a.values[e], conjugates) *
                conjugated(b.at(flips ? line : other, column), conjugates_b);
    add_to(&c.at(flips ? other : line, column), alpha.get() * x);
  }
}

// C = alpha op(A) B + beta C, C of rows x columns.
template <typename T>
cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                          const cusparseSpMatDescr& a, Dense<const T> b, bool conjugates_b,
                          const void* beta, Dense<T> c, long long rows, long long columns) {
  if (rows == 0 || columns == 0) return CUSPARSE_STATUS_SUCCESS;
  const bool transposes = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const bool conjugates = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  const bool flips = transposes != (a.format == CUSPARSE_FORMAT_CSC);
  const Sparse<T> matrix = sparse<T>(a);
  const Scalar<T> factor = scalar<T>(handle, alpha), old = scalar<T>(handle, beta);
  if (!flips && !matrix.listed) {
    const dim3 grid(blocks_for(matrix.lines), columns);
    gather_kernel<<<grid, kThreads, 0, handle->stream>>>(matrix, conjugates, factor, b,
                                                         conjugates_b, old, c);
    return status_of(cudaGetLastError());
  }
  each(handle, rows * columns, [=] __device__(long long i) {
    T& place = c.at(i % rows, i / rows);
    place = old.get() == T(0) ? T(0) : old.get() * place;
  });
  const dim3 grid(blocks_for(matrix.listed ? matrix.elements : matrix.lines), columns);
  if (grid.x > 0)
    scatter_kernel<<<grid, kThreads, 0, handle->stream>>>(matrix, flips, conjugates, factor, b,
                                                          conjugates_b, c);
  return status_of(cudaGetLastError());
}

template <typename T>
cusparseStatus_t sampled(cusparseHandle_t handle, cusparseOperation_t op_a,
                         cusparseOperation_t op_b, const void* alpha, const cusparseDnMatDescr& a,
                         const cusparseDnMatDescr& b, const void* beta,
                         const cusparseSpMatDescr& c) {
  const bool flips_a = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const Dense<T> left = dense<T>(a, flips_a);
  const Dense<T> right = dense<T>(b, op_b != CUSPARSE_OPERATION_NON_TRANSPOSE);
  const bool conjugates_a = op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  const bool conjugates_b = op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  const long long depth = flips_a ? a.rows : a.columns;
  const Sparse<T> result = sparse<T>(c);
  const bool by_columns = c.format == CUSPARSE_FORMAT_CSC;
  const Scalar<T> factor = scalar<T>(handle, alpha), old = scalar<T>(handle, beta);
  return each(handle, result.listed ? result.elements : result.lines, [=] __device__(long long i) {
    const long long first = result.listed ? i : result.offsets[i];
    const long long end = result.listed ? i + 1 : result.offsets[i + 1];
    for (long long e = first; e < end; ++e) {
      const long long line = result.listed ? result.line_of[e] : i, other = result.others[e];
      const long long row = by_columns ? other : line, column = by_columns ? line : other;
      T sum = T(0);
      for (long long k = 0; k < depth; ++k)
        sum = sum + conjugated(left.at(row, k), conjugates_a) *
                        conjugated(right.at(k, column), conjugates_b);
      T x = factor.get() * sum;
      if (!(old.get() == T(0))) x = x + old.get() * result.values[e];
      result.values[e] = x;
    }
  });
}

cusparseStatus_t no_buffer(cusparseHandle_t handle, size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace raddle_cusparse

using namespace raddle_cusparse;

extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                         const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, size_t* bytes) {
  return no_buffer(handle, bytes);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                         const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              const void* beta, cusparseDnVecDescr_t y, cudaDataType compute,
                              cusparseSpMVAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  const bool transposes = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const int64_t rows = transposes ? a->columns : a->rows;
  if (rows != y->size || (transposes ? a->rows : a->columns) != x->size)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (a->type != compute || x->type != compute || y->type != compute)
    return not_supported("cusparseSpMV with values of several types");
  return with_type(compute, [&](auto zero) {
    using T = decltype(zero);
    return multiply<T>(handle, op, alpha, *a, Dense<const T>{(const T*)x->values, 1, 0}, false,
                       beta, Dense<T>{(T*)y->values, 1, 0}, rows, 1);
  });
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                         cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t, cudaDataType,
                                         cusparseSpMMAlg_t, size_t* bytes) {
  return no_buffer(handle, bytes);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t,
                                         cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t, cudaDataType,
                                         cusparseSpMMAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType compute,
                              cusparseSpMMAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  const bool flips_a = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const bool flips_b = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  if ((flips_a ? a->columns : a->rows) != c->rows ||
      (flips_a ? a->rows : a->columns) != (flips_b ? b->columns : b->rows) ||
      (flips_b ? b->rows : b->columns) != c->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (a->type != compute || b->type != compute || c->type != compute)
    return not_supported("cusparseSpMM with values of several types");
  return with_type(compute, [&](auto zero) {
    using T = decltype(zero);
    return multiply<T>(handle, op_a, alpha, *a, dense<const T>(*b, flips_b),
                       op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, beta, dense<T>(*c), c->rows,
                       c->columns);
  });
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                          cusparseOperation_t, const void*,
                                          cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
                                          const void*, cusparseSpMatDescr_t, cudaDataType,
                                          cusparseSDDMMAlg_t, size_t* bytes) {
  return no_buffer(handle, bytes);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t,
                                          cusparseOperation_t, const void*,
                                          cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
                                          const void*, cusparseSpMatDescr_t, cudaDataType,
                                          cusparseSDDMMAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a,
                               cusparseOperation_t op_b, const void* alpha,
                               cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                               cusparseSDDMMAlg_t, void*) {
  RADDLE_CHECK_HANDLE(handle);
  if (a->type != compute || b->type != compute || c->type != compute)
    return not_supported("cusparseSDDMM with values of several types");
  return with_type(compute, [&](auto zero) {
    return sampled<decltype(zero)>(handle, op_a, op_b, alpha, *a, *b, beta, *c);
  });
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha,
                               cusparseConstSpVecDescr_t x, const void* beta,
                               cusparseDnVecDescr_t y) {
  RADDLE_CHECK_HANDLE(handle);
  return with_type(x->type, [&](auto zero) {
    using T = decltype(zero);
    T* to = (T*)y->values;
    const T* from = (const T*)x->values;
    const Indices indices = x->indices;
    const Scalar<T> factor = scalar<T>(handle, alpha), old = scalar<T>(handle, beta);
    each(handle, y->size,
         [=] __device__(long long i) { to[i] = old.get() == T(0) ? T(0) : old.get() * to[i]; });
    return each(handle, x->nnz, [=] __device__(long long i) {
      to[indices[i]] = to[indices[i]] + factor.get() * from[i];
    });
  });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x) {
  RADDLE_CHECK_HANDLE(handle);
  return with_type(x->type, [&](auto zero) {
    using T = decltype(zero);
    const T* from = (const T*)y->values;
    T* to = (T*)x->values;
    const Indices indices = x->indices;
    return each(handle, x->nnz, [=] __device__(long long i) { to[i] = from[indices[i]]; });
  });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y) {
  RADDLE_CHECK_HANDLE(handle);
  return with_type(x->type, [&](auto zero) {
    using T = decltype(zero);
    const T* from = (const T*)x->values;
    T* to = (T*)y->values;
    const Indices indices = x->indices;
    return each(handle, x->nnz, [=] __device__(long long i) { to[indices[i]] = from[i]; });
  });
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                         cusparseConstSpVecDescr_t, cusparseConstDnVecDescr_t,
                                         const void*, cudaDataType, size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = 16;  // for the sum
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void* result, cudaDataType compute, void* buffer) {
  RADDLE_CHECK_HANDLE(handle);
  return with_type(compute, [&](auto zero) {
    using T = decltype(zero);
    const bool on_device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
    const bool conjugates = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    T* sum = (T*)(on_device ? result : buffer);
    const T *left = (const T*)x->values, *right = (const T*)y->values;
    const Indices indices = x->indices;
    cudaMemsetAsync(sum, 0, sizeof(T), handle->stream);
    const cusparseStatus_t status = each(handle, x->nnz, [=] __device__(long long i) {
      add_to(sum, conjugated(left[i], conjugates) * right[indices[i]]);
    });
    if (on_device || status != CUSPARSE_STATUS_SUCCESS) return status;
    cudaMemcpyAsync(result, sum, sizeof(T), cudaMemcpyDeviceToHost, handle->stream);
    return status_of(cudaStreamSynchronize(handle->stream));
  });
}

}  // extern "C"
