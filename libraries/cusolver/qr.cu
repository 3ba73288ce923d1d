// QR by Householder's reflectors H = I - tau v v', one column after the other, with LAPACK's
// conventions: v begins with 1, which is not stored, and R's diagonal is real.
#include "context.h"

namespace raddle_cusolver {
namespace {

template <typename T>
__global__ void reflector_kernel(int n, T* x, T* tau) {
  double part = 0;
  for (int i = 1 + threadIdx.x; i < n; i += 128) {
    const double re = real_part(x[i]), im = imaginary_part(x[i]);
    part += re * re + im * im;
  }
  const double below = sum_of_block(part);
  const T first = x[0];
  __syncthreads();
  const double re = real_part(first), im = imaginary_part(first);
  if (below == 0 && im == 0) {
    if (threadIdx.x == 0) *tau = T(0);
    return;
  }
  const double length = sqrt(below + re * re + im * im);
  const T beta = T(Real<T>(re >= 0 ? -length : length));
  const T scale = T(1) / (first - beta);
  for (int i = 1 + threadIdx.x; i < n; i += 128) x[i] = x[i] * scale;
  if (threadIdx.x == 0) {
    x[0] = beta;
    *tau = (beta - first) / beta;
  }
}

// A block per line of C: a column that H multiplies from the left, or a row from the right.
template <typename T>
__global__ void reflect_kernel(int n, const T* v, const T* tau, bool adjoint, bool left, T* c,
                               long long step, long long distance) {
  T* line = c + blockIdx.x * distance;
  const T factor = adjoint ? conjugate(*tau) : *tau;
  const auto element = [&](int i) {
    const T x = i == 0 ? T(1) : v[i];
    return left ? x : conjugate(x);
  };
  T part = T(0);
  for (int i = threadIdx.x; i < n; i += 128) part = part + conjugate(element(i)) * line[i * step];
  const T sum = factor * sum_of_block(part);
  for (int i = threadIdx.x; i < n; i += 128) line[i * step] = line[i * step] - sum * element(i);
}

}  // namespace

template <typename T>
void factor_qr(cudaStream_t stream, int m, int n, T* a, int lda, T* tau) {
  const int smaller = m < n ? m : n;
  for (int k = 0; k < smaller; ++k) {
    T* corner = a + k + (long long)k * lda;
    reflector_kernel<<<1, 128, 0, stream>>>(m - k, corner, tau + k);
    if (k + 1 < n)
      reflect_kernel<<<n - k - 1, 128, 0, stream>>>(m - k, corner, tau + k, true, true,
                                                    corner + lda, 1, lda);
  }
}

// Q is H_1 ... H_k: from the left the last goes first, and its adjoint the other way round.
template <typename T>
void apply_q(cudaStream_t stream, bool left, bool adjoint, int m, int n, int k, const T* v, int ldv,
             const T* tau, T* c, int ldc) {
  if (m == 0 || n == 0) return;
  const bool forward = left == adjoint;
  for (int step = 0; step < k; ++step) {
    const int i = forward ? step : k - 1 - step;
    const T* vector = v + i + (long long)i * ldv;
    if (left) {
      reflect_kernel<<<n, 128, 0, stream>>>(m - i, vector, tau + i, adjoint, true, c + i, 1, ldc);
    } else {
      reflect_kernel<<<m, 128, 0, stream>>>(n - i, vector, tau + i, adjoint, false,
                                            c + (long long)i * ldc, ldc, 1);
    }
  }
}

template <typename T>
void identity(cudaStream_t stream, int m, int n, T* a, int lda) {
  each(stream, (long long)m * n,
       [=] __device__(long long i) { a[i % m + i / m * lda] = i % m == i / m ? T(1) : T(0); });
}

}  // namespace raddle_cusolver

using namespace raddle_cusolver;

#define BODY(X, T, R, ORM, ORG, SY)                                                              \
  template void raddle_cusolver::factor_qr(cudaStream_t, int, int, Number<T>*, int, Number<T>*); \
  template void raddle_cusolver::apply_q(cudaStream_t, bool, bool, int, int, int,                \
                                         const Number<T>*, int, const Number<T>*, Number<T>*,    \
                                         int);                                                   \
  template void raddle_cusolver::identity(cudaStream_t, int, int, Number<T>*, int);
RADDLE_FOUR_TYPES(BODY)
#undef BODY

extern "C" {

#define BODY(X, T, R, ORM, ORG, SY)                                                               \
  cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int, int, T*, int,  \
                                                   int* elements) {                               \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    *elements = 1;                                                                                \
    return CUSOLVER_STATUS_SUCCESS;                                                               \
  }                                                                                               \
  cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda,   \
                                        T* tau, T*, int, int* info) {                             \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    if (n < 0 || !is_leading(lda, m)) return CUSOLVER_STATUS_INVALID_VALUE;                       \
    cudaMemsetAsync(info, 0, sizeof(int), handle->stream);                                        \
    factor_qr(handle->stream, m, n, numbers(a), lda, numbers(tau));                               \
    return status_of(cudaGetLastError());                                                         \
  }                                                                                               \
  cusolverStatus_t cusolverDn##X##ORM##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t,   \
                                                   cublasOperation_t, int, int, int, const T*,    \
                                                   int, const T*, const T*, int, int* elements) { \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    *elements = 1;                                                                                \
    return CUSOLVER_STATUS_SUCCESS;                                                               \
  }                                                                                               \
  cusolverStatus_t cusolverDn##X##ORM(cusolverDnHandle_t handle, cublasSideMode_t side,           \
                                      cublasOperation_t trans, int m, int n, int k, const T* a,   \
                                      int lda, const T* tau, T* c, int ldc, T*, int, int* info) { \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    const bool left = side == CUBLAS_SIDE_LEFT;                                                   \
    if (k < 0 || k > (left ? m : n) || !is_leading(lda, left ? m : n) || !is_leading(ldc, m))     \
      return CUSOLVER_STATUS_INVALID_VALUE;                                                       \
    cudaMemsetAsync(info, 0, sizeof(int), handle->stream);                                        \
    apply_q(handle->stream, left, trans != CUBLAS_OP_N, m, n, k, numbers(a), lda, numbers(tau),   \
            numbers(c), ldc);                                                                     \
    return status_of(cudaGetLastError());                                                         \
  }                                                                                               \
  cusolverStatus_t cusolverDn##X##ORG##_bufferSize(cusolverDnHandle_t handle, int m, int, int k,  \
                                                   const T*, int, const T*, int* elements) {      \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    *elements = m * k > 0 ? m * k : 1;                                                            \
    return CUSOLVER_STATUS_SUCCESS;                                                               \
  }                                                                                               \
  cusolverStatus_t cusolverDn##X##ORG(cusolverDnHandle_t handle, int m, int n, int k, T* a,       \
                                      int lda, const T* tau, T* work, int elements, int* info) {  \
    RADDLE_CHECK_HANDLE(handle);                                                                  \
    if (k < 0 || k > n || n > m || !is_leading(lda, m) || elements < m * k)                       \
      return CUSOLVER_STATUS_INVALID_VALUE;                                                       \
    cudaMemsetAsync(info, 0, sizeof(int), handle->stream);                                        \
    if (m == 0 || n == 0) return CUSOLVER_STATUS_SUCCESS;                                         \
    cudaMemcpy2DAsync(work, m * sizeof(T), a, lda * sizeof(T), m * sizeof(T), k,                  \
                      cudaMemcpyDeviceToDevice, handle->stream);                                  \
    identity(handle->stream, m, n, numbers(a), lda);                                              \
    apply_q(handle->stream, true, false, m, n, k, (const Number<T>*)numbers(work), m,             \
            numbers(tau), numbers(a), lda);                                                       \
    return status_of(cudaGetLastError());                                                         \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

}  // extern "C"
