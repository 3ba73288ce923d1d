// Triangular systems and incomplete LU factors. Rows of a triangle that do not need each other form
// a level: the analysis finds the levels, and a kernel solves each. Of a transposed matrix, and of
// incomplete factors, one warp goes through the rows, its lanes through the elements of a row.
#include <vector>

#include "matrix.h"

struct cusparseSpSVDescr {
  int* rows = nullptr;    // in the order of their levels
  std::vector<int> ends;  // of each level
  void clear() {
    cudaFree(rows);
    rows = nullptr;
    ends.clear();
  }
};
struct csrilu02Info {
  int* zero_pivot = nullptr;  // on the device: the first row without one, or -1
};

namespace raddle_cusparse {
namespace {

struct Triangle {
  bool lower, unit;
  // Elements outside it are taken for zero.
  __device__ bool holds(long long row, long long column) const {
    return lower ? column < row : column > row;
  }
};

// The lines of a level join once all lines that they need have a level before it.
template <typename T>
__global__ void level_kernel(Sparse<T> a, Triangle triangle, int level, int* levels, int* rows,
                             int* count) {
  const long long line = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (line >= a.lines || levels[line] != 0) return;
  for (long long i = a.offsets[line]; i < a.offsets[line + 1]; ++i) {
    const long long other = a.others[i];
    if (!triangle.holds(line, other)) continue;
    const int theirs = *(volatile int*)&levels[other];
    if (theirs == 0 || theirs == level) return;
  }
  levels[line] = level;
  rows[atomicAdd(count, 1)] = (int)line;
}

// The unknown of each line is its right-hand side less the known part of the line.
template <typename T>
__global__ void solve_lines_kernel(Sparse<T> a, Triangle triangle, bool conjugates, Scalar<T> alpha,
                                   const T* x, T* y, const int* rows, int count) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const int line = rows[place];
  T value = alpha.get() * x[line], diagonal = T(1);
  for (long long i = a.offsets[line]; i < a.offsets[line + 1]; ++i) {
    const long long other = a.others[i];
    const T element = conjugates ? conjugate(a.values[i]) : a.values[i];
    if (triangle.holds(line, other)) value = value - element * y[other];
    if (other == line) diagonal = element;
  }
  y[line] = triangle.unit ? value : value / diagonal;
}

// The transposed matrix: what is known of a line is taken from the right-hand sides to come.
template <typename T>
__global__ void solve_columns_kernel(Sparse<T> a, Triangle triangle, bool conjugates,
                                     Scalar<T> alpha, const T* x, T* y) {
  __shared__ T diagonal, known;
  for (long long i = threadIdx.x; i < a.lines; i += 32) y[i] = alpha.get() * x[i];
  __syncthreads();
  // A transposed upper triangle is a lower one: unknowns come in the other order.
  for (long long step = 0; step < a.lines; ++step) {
    const long long line = triangle.lower ? a.lines - 1 - step : step;
    for (long long i = a.offsets[line] + threadIdx.x; i < a.offsets[line + 1]; i += 32)
      if (a.others[i] == line) diagonal = conjugates ? conjugate(a.values[i]) : a.values[i];
    __syncthreads();
    if (threadIdx.x == 0) {
      known = triangle.unit ? y[line] : y[line] / diagonal;
      y[line] = known;
    }
    __syncthreads();
    for (long long i = a.offsets[line] + threadIdx.x; i < a.offsets[line + 1]; i += 32) {
      const long long other = a.others[i];
      const T value = conjugates ? conjugate(a.values[i]) : a.values[i];
      if (triangle.holds(line, other)) y[other] = y[other] - value * known;
    }
    __syncthreads();
  }
}

// In terms of lines, the lower triangle of a CSC matrix is an upper one.
Triangle triangle_of(const cusparseSpMatDescr& a) {
  return {(a.fill == CUSPARSE_FILL_MODE_LOWER) != (a.format == CUSPARSE_FORMAT_CSC),
          a.diagonal == CUSPARSE_DIAG_TYPE_UNIT};
}
bool goes_by_lines(const cusparseSpMatDescr& a, cusparseOperation_t op) {
  return (op != CUSPARSE_OPERATION_NON_TRANSPOSE) == (a.format == CUSPARSE_FORMAT_CSC);
}

template <typename T>
cusparseStatus_t find_levels(cusparseHandle_t handle, const cusparseSpMatDescr& a,
                             cusparseSpSVDescr& work) {
  const Sparse<T> matrix = sparse<T>(a);
  const int n = (int)matrix.lines;
  work.clear();
  int* levels;
  cudaError_t error = cudaMalloc(&work.rows, (n + 1) * sizeof(int));
  if (error == cudaSuccess) error = cudaMalloc(&levels, (n + 1) * sizeof(int));
  if (error != cudaSuccess) return status_of(error);
  int* count = levels + n;
  cudaMemsetAsync(levels, 0, (n + 1) * sizeof(int), handle->stream);
  for (int done = 0; done < n && error == cudaSuccess;) {
    level_kernel<<<blocks_for(n), kThreads, 0, handle->stream>>>(
        matrix, triangle_of(a), (int)work.ends.size() + 1, levels, work.rows, count);
    cudaMemcpyAsync(&done, count, sizeof(int), cudaMemcpyDeviceToHost, handle->stream);
    error = cudaStreamSynchronize(handle->stream);
    work.ends.push_back(done);
  }
  cudaFree(levels);
  return status_of(error);
}

template <typename T>
cusparseStatus_t solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                       const cusparseSpMatDescr& a, const cusparseDnVecDescr& x,
                       const cusparseDnVecDescr& y, const cusparseSpSVDescr& work) {
  const bool conjugates = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  const Sparse<T> matrix = sparse<T>(a);
  const Scalar<T> factor = scalar<T>(handle, alpha);
  if (!goes_by_lines(a, op)) {
    solve_columns_kernel<<<1, 32, 0, handle->stream>>>(matrix, triangle_of(a), conjugates, factor,
                                                       (const T*)x.values, (T*)y.values);
    return status_of(cudaGetLastError());
  }
  if (work.rows == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;  // not analysed
  int first = 0;
  for (const int end : work.ends) {
    solve_lines_kernel<<<blocks_for(end - first), kThreads, 0, handle->stream>>>(
        matrix, triangle_of(a), conjugates, factor, (const T*)x.values, (T*)y.values,
        work.rows + first, end - first);
    first = end;
  }
  return status_of(cudaGetLastError());
}

// ILU(0): elimination in which nothing is added to the pattern. Indices of a row are sorted.
template <typename T>
__global__ void ilu_kernel(int m, T* values, Indices offsets, Indices columns, int* zero_pivot) {
  __shared__ T factor;
  const auto find = [&](long long row, long long column) {
    long long low = offsets[row], high = offsets[row + 1];
    while (low < high) {
      const long long middle = (low + high) / 2;
      if (columns[middle] < column) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < offsets[row + 1] && columns[low] == column ? low : -1;
  };
  for (long long row = 0; row < m; ++row) {
    for (long long i = offsets[row]; i < offsets[row + 1] && columns[i] < row; ++i) {
      const long long k = columns[i];
      const long long pivot = find(k, k);
      if (threadIdx.x == 0) {
        factor = pivot < 0 ? T(0) : values[i] / values[pivot];
        values[i] = factor;
      }
      __syncthreads();
      if (pivot >= 0) {
        for (long long j = pivot + 1 + threadIdx.x; j < offsets[k + 1]; j += 32) {
          const long long place = find(row, columns[j]);
          if (place >= 0) values[place] = values[place] - factor * values[j];
        }
      }
      __syncthreads();
    }
    const long long diagonal = find(row, row);
    if (threadIdx.x == 0 && *zero_pivot < 0 && (diagonal < 0 || values[diagonal] == T(0)))
      *zero_pivot = (int)row;
    __syncthreads();
  }
}

template <typename T>
cusparseStatus_t factor(cusparseHandle_t handle, int m, const cusparseMatDescr& descriptor,
                        T* values, const int* offsets, const int* indices, csrilu02Info& info) {
  if (info.zero_pivot == nullptr) {
    const cudaError_t error = cudaMalloc(&info.zero_pivot, sizeof(int));
    if (error != cudaSuccess) return status_of(error);
  }
  cudaMemsetAsync(info.zero_pivot, 0xff, sizeof(int), handle->stream);
  ilu_kernel<<<1, 32, 0, handle->stream>>>(
      m, values, Indices{(void*)offsets, false, descriptor.base},
      Indices{(void*)indices, false, descriptor.base}, info.zero_pivot);
  return status_of(cudaGetLastError());
}

}  // namespace
}  // namespace raddle_cusparse

using namespace raddle_cusparse;

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descriptor) {
  *descriptor = new cusparseSpSVDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descriptor) {
  descriptor->clear();
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t, size_t* bytes) {
  RADDLE_CHECK_HANDLE(handle);
  *bytes = 16;  // not used; programs allocate it
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void*,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t,
                                       cusparseDnVecDescr_t, cudaDataType compute,
                                       cusparseSpSVAlg_t, cusparseSpSVDescr_t descriptor, void*) {
  RADDLE_CHECK_HANDLE(handle);
  if (a->format == CUSPARSE_FORMAT_COO) return not_supported("cusparseSpSV of COO");
  if (a->rows != a->columns) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!goes_by_lines(*a, op)) return CUSPARSE_STATUS_SUCCESS;
  return with_type(compute,
                   [&](auto zero) { return find_levels<decltype(zero)>(handle, *a, *descriptor); });
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op,
                                    const void* alpha, cusparseConstSpMatDescr_t a,
                                    cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType compute, cusparseSpSVAlg_t,
                                    cusparseSpSVDescr_t descriptor) {
  RADDLE_CHECK_HANDLE(handle);
  if (a->format == CUSPARSE_FORMAT_COO) return not_supported("cusparseSpSV of COO");
  if (a->rows != a->columns || a->rows != x->size || a->rows != y->size || a->type != compute)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return with_type(compute, [&](auto zero) {
    return solve<decltype(zero)>(handle, op, alpha, *a, *x, *y, *descriptor);
  });
}

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info) {
  *info = new csrilu02Info;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) {
  cudaFree(info->zero_pivot);
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int* position) {
  RADDLE_CHECK_HANDLE(handle);
  int row = -1;
  if (info->zero_pivot != nullptr) {
    const cudaError_t error =
        cudaMemcpy(&row, info->zero_pivot, sizeof(int), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return status_of(error);
  }
  *position = row;
  return row < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define BODY(X, T)                                                                                 \
  cusparseStatus_t cusparse##X##csrilu02_bufferSize(cusparseHandle_t handle, int, int,             \
                                                    const cusparseMatDescr_t, T*, const int*,      \
                                                    const int*, csrilu02Info_t, int* bytes) {      \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    *bytes = 16;                                                                                   \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusparseStatus_t cusparse##X##csrilu02_analysis(                                                 \
      cusparseHandle_t handle, int, int, const cusparseMatDescr_t, const T*, const int*,           \
      const int*, csrilu02Info_t, cusparseSolvePolicy_t, void*) {                                  \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusparseStatus_t cusparse##X##csrilu02(                                                          \
      cusparseHandle_t handle, int m, int, const cusparseMatDescr_t descriptor, T* values,         \
      const int* offsets, const int* indices, csrilu02Info_t info, cusparseSolvePolicy_t, void*) { \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    return factor(handle, m, *descriptor, numbers(values), offsets, indices, *info);               \
  }
BODY(S, float)
BODY(D, double)
BODY(C, cuComplex)
BODY(Z, cuDoubleComplex)
#undef BODY

}  // extern "C"
