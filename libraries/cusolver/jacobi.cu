// Eigenvalues of hermitian matrices and singular values by Jacobi's rotations: in each round, n / 2
// pairs of columns that have none in common, so that every pair meets once in a sweep.
#include "context.h"

namespace raddle_cusolver {
namespace {

constexpr int kMaxSweeps = 40;

// Pair `i` of a round, as at a tournament: the first stays, the others move on. false: one of the
// pair does not exist, as n is odd.
__device__ bool pair_of(int n, int round, int i, int& p, int& q) {
  const int players = n + n % 2;
  const auto player = [&](int seat) {
    return seat == 0 ? 0 : (seat - 1 + round) % (players - 1) + 1;
  };
  p = player(i), q = player(players - 1 - i);
  if (p > q) {
    const int larger = p;
    p = q, q = larger;
  }
  return q < n;
}

// Columns p and q become c p - s conj(e) q and s e p + c q, after which their product is zero.
template <typename T>
struct Rotation {
  Real<T> c;
  T s;  // s e
};
template <typename T>
__device__ Rotation<T> rotation(Real<T> pp, Real<T> qq, T pq, Real<T> size) {
  const Real<T> zeta = (qq - pp) / (2 * size);
  const Real<T> t = (zeta >= 0 ? Real<T>(1) : Real<T>(-1)) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const Real<T> c = 1 / sqrt(1 + t * t);
  return {c, T(t * c / size) * pq};
}
template <typename T>
__device__ void rotate(Rotation<T> r, T& p, T& q) {
  const T old = p;
  p = T(r.c) * old - conjugate(r.s) * q;
  q = r.s * old + T(r.c) * q;
}
template <typename T>
__device__ Real<T> absolute(T x) {
  const Real<T> re = real_part(x), im = imaginary_part(x);
  return sqrt(re * re + im * im);
}
template <typename T>
__host__ __device__ Real<T> epsilon() {
  return sizeof(Real<T>) == 4 ? Real<T>(1.2e-7f) : Real<T>(2.3e-16);
}

// --- eigenvalues -----------------------------------------------------------------------------------------------------

// Rotations of a round out of A; an element that is small beside the whole matrix counts as zero.
template <typename T>
__global__ void choose_kernel(int n, int round, const T* a, const Real<T>* norm,
                              Rotation<T>* rotations, int* changes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (n + 1) / 2) return;
  int p, q;
  Rotation<T> result = {1, T(0)};
  if (pair_of(n, round, i, p, q)) {
    const T pq = a[p + (long long)q * n];
    const Real<T> pp = real_part(a[p + (long long)p * n]), qq = real_part(a[q + (long long)q * n]);
    const Real<T> size = absolute(pq);
    if (size > epsilon<T>() / 4 * *norm / n) {
      result = rotation(pp, qq, pq, size);
      atomicAdd(changes, 1);
    }
  }
  rotations[i] = result;
}
// Frobenius's, which rotations keep.
template <typename T>
__global__ void norm_kernel(int elements, const T* a, Real<T>* norm) {
  Real<T> sum = 0;
  for (int i = threadIdx.x; i < elements; i += 128) sum += real_part(conjugate(a[i]) * a[i]);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *norm = sqrt(sum);
}
template <typename T>
__global__ void columns_kernel(int n, int round, T* a, const Rotation<T>* rotations) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  int p, q;
  if (row < n && pair_of(n, round, blockIdx.y, p, q))
    rotate(rotations[blockIdx.y], a[row + (long long)p * n], a[row + (long long)q * n]);
}
// The adjoint of the rotation from the left.
template <typename T>
__global__ void rows_kernel(int n, int round, T* a, const Rotation<T>* rotations) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  int p, q;
  if (column >= n || !pair_of(n, round, blockIdx.y, p, q)) return;
  Rotation<T> r = rotations[blockIdx.y];
  r.s = conjugate(r.s);
  rotate(r, a[p + (long long)column * n], a[q + (long long)column * n]);
}

// Room: A and V of n x n, and n/2 rotations, which take two elements each.
template <typename T>
int eigen_room(int n) {
  return 2 * n * n + 2 * (n + 1) + 8;
}

template <typename T>
cusolverStatus_t evd(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo,
                     int n, T* a, int lda, Real<T>* values, T* work, int elements, int* info) {
  RADDLE_CHECK_HANDLE(handle);
  if (!is_leading(lda, n) || elements < eigen_room<T>(n)) return CUSOLVER_STATUS_INVALID_VALUE;
  const cudaStream_t stream = handle->stream;
  cudaMemsetAsync(info, 0, sizeof(int), stream);
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  T *full = work, *vectors = work + n * n;
  Rotation<T>* rotations = (Rotation<T>*)(vectors + n * n);
  Real<T>* norm = (Real<T>*)(rotations + (n + 1) / 2 + 1);
  int* changes = (int*)(norm + 1);
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  each(stream, (long long)n * n, [=] __device__(long long i) {
    const long long row = i % n, column = i / n;
    const bool stored = lower ? row >= column : row <= column;
    T x = stored ? a[row + column * lda] : conjugate(a[column + row * lda]);
    if (row == column) x = T(real_part(x));
    full[i] = x;
    vectors[i] = row == column ? T(1) : T(0);
  });
  norm_kernel<<<1, 128, 0, stream>>>(n * n, full, norm);
  const dim3 grid(blocks_for(n), (n + 1) / 2);
  int changed = n > 1;
  for (int sweep = 0; changed != 0 && sweep < kMaxSweeps; ++sweep) {
    cudaMemsetAsync(changes, 0, sizeof(int), stream);
    for (int round = 0; round < n - 1 + n % 2; ++round) {
      choose_kernel<<<blocks_for((n + 1) / 2), 128, 0, stream>>>(n, round, full, norm, rotations,
                                                                 changes);
      columns_kernel<<<grid, 128, 0, stream>>>(n, round, full, rotations);
      rows_kernel<<<grid, 128, 0, stream>>>(n, round, full, rotations);
      columns_kernel<<<grid, 128, 0, stream>>>(n, round, vectors, rotations);
    }
    cudaMemcpyAsync(&changed, changes, sizeof(int), cudaMemcpyDeviceToHost, stream);
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return status_of(error);
  }
  // In ascending order: each counts those before it.
  const bool wants_vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  const int left = changed;
  each(stream, n, [=] __device__(long long i) {
    const auto value = [&](long long k) { return real_part(full[k + k * n]); };
    int place = 0;
    for (int k = 0; k < n; ++k) place += value(k) < value(i) || (value(k) == value(i) && k < i);
    values[place] = value(i);
    for (int row = 0; wants_vectors && row < n; ++row)
      a[row + (long long)place * lda] = vectors[row + i * n];
    if (i == 0) *info = left;
  });
  return status_of(cudaGetLastError());
}

// --- singular values -------------------------------------------------------------------------------------------------

// Hestenes: columns of A are made orthogonal, V records how. A block per pair.
template <typename T>
__global__ void orthogonalize_kernel(int m, int n, int round, T* a, T* v, int* changes) {
  int p, q;
  if (!pair_of(n, round, blockIdx.x, p, q)) return;
  T *left = a + (long long)p * m, *right = a + (long long)q * m;
  Real<T> pp = 0, qq = 0;
  T pq = T(0);
  for (int i = threadIdx.x; i < m; i += 128) {
    pp += real_part(conjugate(left[i]) * left[i]);
    qq += real_part(conjugate(right[i]) * right[i]);
    pq = pq + conjugate(left[i]) * right[i];
  }
  pp = sum_of_block(pp);
  qq = sum_of_block(qq);
  pq = sum_of_block(pq);
  const Real<T> size = absolute(pq);
  if (size == 0 || size <= epsilon<T>() * sqrt((Real<T>)m) * sqrt(pp) * sqrt(qq)) return;
  const Rotation<T> r = rotation(pp, qq, pq, size);
  for (int i = threadIdx.x; i < m; i += 128) rotate(r, left[i], right[i]);
  for (int i = threadIdx.x; i < n; i += 128)
    rotate(r, v[i + (long long)p * n], v[i + (long long)q * n]);
  if (threadIdx.x == 0) atomicAdd(changes, 1);
}

// Room: A, V, Q of m x m, tau and lengths of columns.
template <typename T>
int singular_room(int m, int n) {
  return m * n + n * n + m * n + m * m + 4 * n + 8;
}

template <typename T>
struct Singular {
  T *a, *v, *sorted, *q, *tau;
  Real<T>* lengths;
  int* changes;
};

// U's columns are those of A divided by their lengths. QR of them gives the missing ones, and says
// the same of the others but for a factor of size 1, the diagonal of R.
template <typename T>
void write_left(cudaStream_t stream, int m, int n, int columns, const Singular<T>& work, T* u,
                int ldu) {
  factor_qr(stream, m, n, work.sorted, m, work.tau);
  identity(stream, m, columns, work.q, m);
  apply_q(stream, true, false, m, columns, n, (const T*)work.sorted, m, (const T*)work.tau, work.q,
          m);
  const Singular<T> w = work;
  each(stream, (long long)m * columns, [=] __device__(long long i) {
    const long long row = i % m, column = i / m;
    T factor = T(1);
    if (column < n) {
      const T r = w.sorted[column + column * m];
      if (!(r == T(0))) factor = r / T(absolute(r));
    }
    u[row + column * ldu] = w.q[i] * factor;
  });
}

template <typename T>
cusolverStatus_t gesvd(cusolverDnHandle_t handle, char jobu, char jobvt, int m, int n, T* a,
                       int lda, Real<T>* s, T* u, int ldu, T* vt, int ldvt, T* work, int elements,
                       int* info) {
  RADDLE_CHECK_HANDLE(handle);
  if (m < n || !is_leading(lda, m) || elements < singular_room<T>(m, n))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const cudaStream_t stream = handle->stream;
  cudaMemsetAsync(info, 0, sizeof(int), stream);
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  Singular<T> w;
  w.a = work, w.v = w.a + m * n, w.sorted = w.v + n * n, w.q = w.sorted + m * n;
  w.tau = w.q + m * m;
  w.lengths = (Real<T>*)(w.tau + n);
  w.changes = (int*)(w.tau + 3 * n);
  cudaMemcpy2DAsync(w.a, m * sizeof(T), a, lda * sizeof(T), m * sizeof(T), n,
                    cudaMemcpyDeviceToDevice, stream);
  identity(stream, n, n, w.v, n);
  int changed = n > 1;
  for (int sweep = 0; changed != 0 && sweep < kMaxSweeps; ++sweep) {
    cudaMemsetAsync(w.changes, 0, sizeof(int), stream);
    for (int round = 0; round < n - 1 + n % 2; ++round)
      orthogonalize_kernel<<<(n + 1) / 2, 128, 0, stream>>>(m, n, round, w.a, w.v, w.changes);
    cudaMemcpyAsync(&changed, w.changes, sizeof(int), cudaMemcpyDeviceToHost, stream);
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return status_of(error);
  }
  each(stream, n, [=] __device__(long long i) {
    Real<T> square = 0;
    for (int row = 0; row < m; ++row)
      square += real_part(conjugate(w.a[row + i * m]) * w.a[row + i * m]);
    w.lengths[i] = sqrt(square);
  });
  const bool wants_right = jobvt != 'N';
  const int left = changed;
  each(stream, n, [=] __device__(long long i) {
    int place = 0;
    for (int k = 0; k < n; ++k)
      place += w.lengths[k] > w.lengths[i] || (w.lengths[k] == w.lengths[i] && k < i);
    s[place] = w.lengths[i];
    const T scale = T(w.lengths[i] > 0 ? 1 / w.lengths[i] : Real<T>(0));
    for (int row = 0; row < m; ++row)
      w.sorted[row + (long long)place * m] = w.a[row + i * m] * scale;
    for (int row = 0; wants_right && row < n; ++row)
      vt[place + (long long)row * ldvt] = conjugate(w.v[row + i * n]);
    if (i == 0) *info = left;
  });
  if (jobu == 'A') write_left(stream, m, n, m, w, u, ldu);
  if (jobu == 'S') write_left(stream, m, n, n, w, u, ldu);
  if (jobu == 'O') write_left(stream, m, n, n, w, a, lda);
  return status_of(cudaGetLastError());
}

}  // namespace
}  // namespace raddle_cusolver

using namespace raddle_cusolver;

extern "C" {

#define BODY(X, T, R, ORM, ORG, SY)                                                                \
  cusolverStatus_t cusolverDn##X##SY##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t, \
                                                     cublasFillMode_t, int n, const T*, int,       \
                                                     const R*, int* elements) {                    \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    *elements = eigen_room<Number<T>>(n);                                                          \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##SY##evd(cusolverDnHandle_t handle, cusolverEigMode_t mode,       \
                                          cublasFillMode_t uplo, int n, T* a, int lda, R* values,  \
                                          T* work, int elements, int* info) {                      \
    return evd(handle, mode, uplo, n, numbers(a), lda, values, numbers(work), elements, info);     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n,        \
                                                   int* elements) {                                \
    RADDLE_CHECK_HANDLE(handle);                                                                   \
    *elements = singular_room<Number<T>>(m, n);                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##X##gesvd(                                                           \
      cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* a, int lda, \
      R* s, T* u, int ldu, T* vt, int ldvt, T* work, int elements, R*, int* info) {                \
    return gesvd(handle, jobu, jobvt, m, n, numbers(a), lda, s, numbers(u), ldu, numbers(vt),      \
                 ldvt, numbers(work), elements, info);                                             \
  }
RADDLE_FOUR_TYPES(BODY)
#undef BODY

}  // extern "C"
