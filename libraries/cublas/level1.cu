// Vectors: sums of blocks in a first kernel, of the blocks' sums in a second one.
#include "context.h"

namespace raddle_libraries {
namespace {

constexpr int kThreads = 256, kMaxBlocks = 64;

int blocks_for(int n) {
  const int blocks = (n + kThreads - 1) / kThreads;
  return blocks < kMaxBlocks ? blocks : kMaxBlocks;
}

template <typename Work>
__global__ void each_kernel(int n, Work work) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) work(i);
}
template <typename Work>
cublasStatus_t each(cublasHandle_t handle, int n, Work work) {
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  each_kernel<<<blocks_for(n), kThreads, 0, handle->stream>>>(n, work);
  return status_of(cudaGetLastError());
}

// A candidate of amax and amin: the smallest index among equal sizes wins.
template <typename R>
struct Extreme {
  R size;
  int index;  // from 1; 0: none yet
};

struct Add {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
template <bool kLargest>
struct Choose {
  template <typename R>
  __device__ Extreme<R> operator()(Extreme<R> a, Extreme<R> b) const {
    if (a.index == 0) return b;
    if (b.index == 0) return a;
    const bool better = kLargest ? b.size > a.size : b.size < a.size;
    return better || (b.size == a.size && b.index < a.index) ? b : a;
  }
};

template <typename Value, typename Load, typename Combine, typename Store>
__global__ void reduce_kernel(int n, Value zero, Load load, Combine combine, Store store) {
  __shared__ Value values[kThreads];
  Value value = zero;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    value = combine(value, load(i));
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) store(blockIdx.x, values[0]);
}

// `finish` makes the result out of the value of all.
template <typename Value, typename Result, typename Load, typename Combine, typename Finish>
cublasStatus_t reduce(cublasHandle_t handle, int n, Value zero, Load load, Combine combine,
                      Finish finish, Result* result) {
  const bool on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const int blocks = n > 0 ? blocks_for(n) : 1;
  Value* sums = (Value*)workspace(handle, kMaxBlocks * sizeof(Value) + sizeof(Result));
  if (sums == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  Result* place = on_device ? result : (Result*)(sums + kMaxBlocks);
  reduce_kernel<<<blocks, kThreads, 0, handle->stream>>>(
      n, zero, load, combine, [=] __device__(int block, Value value) { sums[block] = value; });
  reduce_kernel<<<1, kThreads, 0, handle->stream>>>(
      blocks, zero, [=] __device__(int i) { return sums[i]; }, combine,
      [=] __device__(int, Value value) { *place = finish(value); });
  if (on_device) return status_of(cudaGetLastError());
  const cudaError_t error =
      cudaMemcpyAsync(result, place, sizeof(Result), cudaMemcpyDeviceToHost, handle->stream);
  return status_of(error == cudaSuccess ? cudaStreamSynchronize(handle->stream) : error);
}

template <typename T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,
                   T* result, bool conjugates) {
  RADDLE_CHECK_HANDLE(handle);
  x = first_element(x, n, incx), y = first_element(y, n, incy);
  return reduce(
      handle, n, T(0),
      [=] __device__(int i) {
        const T left = x[(long long)i * incx];
        return (conjugates ? conjugate(left) : left) * y[(long long)i * incy];
      },
      Add(), [=] __device__(T sum) { return sum; }, result);
}

template <typename T, bool kLargest, typename Index>
cublasStatus_t extreme(cublasHandle_t handle, Index count, const T* x, Index incx, Index* result) {
  RADDLE_CHECK_HANDLE(handle);
  int n = (int)count;
  if (n != count) return not_supported("a vector of more than 2^31 - 1 elements");
  using Value = Extreme<Real<T>>;
  if (incx <= 0) n = 0;
  return reduce(
      handle, n, Value{0, 0},
      [=] __device__(int i) { return Value{size_of(x[(long long)i * incx]), i + 1}; },
      Choose<kLargest>(), [=] __device__(Value value) { return Index(value.index); }, result);
}

template <typename T>
cublasStatus_t asum(cublasHandle_t handle, int n, const T* x, int incx, Real<T>* result) {
  RADDLE_CHECK_HANDLE(handle);
  if (incx <= 0) n = 0;
  return reduce(
      handle, n, Real<T>(0), [=] __device__(int i) { return size_of(x[(long long)i * incx]); },
      Add(), [=] __device__(Real<T> sum) { return sum; }, result);
}

// Squares of floats cannot overflow in double; those of doubles can from 1e154 on.
template <typename T>
cublasStatus_t nrm2(cublasHandle_t handle, int n, const T* x, int incx, Real<T>* result) {
  RADDLE_CHECK_HANDLE(handle);
  if (incx <= 0) n = 0;
  return reduce(
      handle, n, 0.0,
      [=] __device__(int i) {
        const double re = real_part(x[(long long)i * incx]);
        const double im = imaginary_part(x[(long long)i * incx]);
        return re * re + im * im;
      },
      Add(), [=] __device__(double sum) { return Real<T>(sqrt(sum)); }, result);
}

template <typename T, typename Factor>
cublasStatus_t scale(cublasHandle_t handle, int n, const Factor* alpha, T* x, int incx) {
  RADDLE_CHECK_HANDLE(handle);
  const Scalar<Factor> factor = scalar(handle, alpha);
  if (incx <= 0) return CUBLAS_STATUS_SUCCESS;
  return each(handle, n, [=] __device__(int i) {
    x[(long long)i * incx] = T(factor.get()) * x[(long long)i * incx];
  });
}

template <typename T>
cublasStatus_t rotate(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* c,
                      const T* s) {
  RADDLE_CHECK_HANDLE(handle);
  const Scalar<T> cosine = scalar(handle, c), sine = scalar(handle, s);
  x = first_element(x, n, incx), y = first_element(y, n, incy);
  return each(handle, n, [=] __device__(int i) {
    const T a = x[(long long)i * incx], b = y[(long long)i * incy];
    x[(long long)i * incx] = cosine.get() * a + sine.get() * b;
    y[(long long)i * incy] = cosine.get() * b - sine.get() * a;
  });
}

// BLAS's rotation: z, from which c and s can be made again, comes back in b.
template <typename T>
__host__ __device__ void make_rotation(T* a, T* b, T* c, T* s) {
  const T roe = fabs(*a) > fabs(*b) ? *a : *b;
  const T scale = fabs(*a) + fabs(*b);
  if (scale == 0) {
    *c = 1, *s = 0, *a = 0, *b = 0;
    return;
  }
  T r = scale * sqrt((*a / scale) * (*a / scale) + (*b / scale) * (*b / scale));
  if (roe < 0) r = -r;
  *c = *a / r, *s = *b / r;
  T z = 1;
  if (fabs(*a) > fabs(*b)) {
    z = *s;
  } else if (*c != 0) {
    z = 1 / *c;
  }
  *a = r, *b = z;
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

#define BODY(X, T)                                                                               \
  cublasStatus_t cublas##X##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x0,      \
                                 int incx, T* y0, int incy) {                                    \
    RADDLE_CHECK_HANDLE(handle);                                                                 \
    const Scalar<Number<T>> factor = scalar(handle, numbers(alpha));                             \
    const Number<T>* x = first_element(numbers(x0), n, incx);                                    \
    Number<T>* y = first_element(numbers(y0), n, incy);                                          \
    return each(handle, n, [=] __device__(int i) {                                               \
      y[(long long)i * incy] = y[(long long)i * incy] + factor.get() * x[(long long)i * incx];   \
    });                                                                                          \
  }                                                                                              \
  cublasStatus_t cublas##X##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,       \
                                 int incy) {                                                     \
    RADDLE_CHECK_HANDLE(handle);                                                                 \
    x = first_element(x, n, incx), y = first_element(y, n, incy);                                \
    return each(handle, n,                                                                       \
                [=] __device__(int i) { y[(long long)i * incy] = x[(long long)i * incx]; });     \
  }                                                                                              \
  cublasStatus_t cublas##X##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) { \
    RADDLE_CHECK_HANDLE(handle);                                                                 \
    x = first_element(x, n, incx), y = first_element(y, n, incy);                                \
    return each(handle, n, [=] __device__(int i) {                                               \
      const T old = x[(long long)i * incx];                                                      \
      x[(long long)i * incx] = y[(long long)i * incy];                                           \
      y[(long long)i * incy] = old;                                                              \
    });                                                                                          \
  }                                                                                              \
  cublasStatus_t cublas##X##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) { \
    return scale(handle, n, numbers(alpha), numbers(x), incx);                                   \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

#define BODY(x1, T)                                                                               \
  cublasStatus_t cublasI##x1##amax(cublasHandle_t handle, int n, const T* x, int incx,            \
                                   int* result) {                                                 \
    return extreme<Number<T>, true>(handle, n, numbers(x), incx, result);                         \
  }                                                                                               \
  cublasStatus_t cublasI##x1##amin(cublasHandle_t handle, int n, const T* x, int incx,            \
                                   int* result) {                                                 \
    return extreme<Number<T>, false>(handle, n, numbers(x), incx, result);                        \
  }                                                                                               \
  cublasStatus_t cublasI##x1##amax_64(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, \
                                      int64_t* result) {                                          \
    return extreme<Number<T>, true>(handle, n, numbers(x), incx, result);                         \
  }                                                                                               \
  cublasStatus_t cublasI##x1##amin_64(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, \
                                      int64_t* result) {                                          \
    return extreme<Number<T>, false>(handle, n, numbers(x), incx, result);                        \
  }
BODY(s, float)
BODY(d, double)
BODY(c, cuComplex)
BODY(z, cuDoubleComplex)
#undef BODY

#define BODY(X, T, R)                                                                             \
  cublasStatus_t cublas##X##asum(cublasHandle_t handle, int n, const T* x, int incx, R* result) { \
    return asum(handle, n, numbers(x), incx, result);                                             \
  }                                                                                               \
  cublasStatus_t cublas##X##nrm2(cublasHandle_t handle, int n, const T* x, int incx, R* result) { \
    return nrm2(handle, n, numbers(x), incx, result);                                             \
  }
BODY(S, float, float)
BODY(D, double, double)
BODY(Sc, cuComplex, float)
BODY(Dz, cuDoubleComplex, double)
#undef BODY

#define BODY(name, T, conjugates)                                                             \
  cublasStatus_t cublas##name(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                              int incy, T* result) {                                          \
    return dot(handle, n, numbers(x), incx, numbers(y), incy, numbers(result), conjugates);   \
  }
BODY(Sdot, float, false)
BODY(Ddot, double, false)
BODY(Cdotu, cuComplex, false)
BODY(Cdotc, cuComplex, true)
BODY(Zdotu, cuDoubleComplex, false)
BODY(Zdotc, cuDoubleComplex, true)
#undef BODY

cublasStatus_t cublasCsscal(cublasHandle_t handle, int n, const float* alpha, cuComplex* x,
                            int incx) {
  return scale(handle, n, alpha, numbers(x), incx);
}
cublasStatus_t cublasZdscal(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x,
                            int incx) {
  return scale(handle, n, alpha, numbers(x), incx);
}

#define BODY(X, T)                                                                            \
  cublasStatus_t cublas##X##rot(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, \
                                const T* c, const T* s) {                                     \
    return rotate(handle, n, x, incx, y, incy, c, s);                                         \
  }                                                                                           \
  cublasStatus_t cublas##X##rotg(cublasHandle_t handle, T* a, T* b, T* c, T* s) {             \
    RADDLE_CHECK_HANDLE(handle);                                                              \
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)                                   \
      return each(handle, 1, [=] __device__(int) { make_rotation(a, b, c, s); });             \
    make_rotation(a, b, c, s);                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                             \
  }
BODY(S, float)
BODY(D, double)
#undef BODY

}  // extern "C"
