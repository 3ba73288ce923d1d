// Double precision: arithmetic with literals that have no suffix, conversions with each rounding, fused operations, the
// special values, and a matrix solved in doubles.
#include <float.h>

#include "check.h"

__global__ void literals(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 0.1 + 1.0 / 3.0;  // computed in double, as C says
}

struct Out {
  double sum, product, quotient, root, fused, low, high, absolute;
  int nearest, down, up, zero;
  long long ll;
  unsigned long long bits;
  float narrowed, narrowed_up;
  double from_int, from_ull, from_float;
};

__global__ void operations(const double* a, const double* b, Out* out) {
  const double x = a[threadIdx.x], y = b[threadIdx.x];
  Out& o = out[threadIdx.x];
  o.sum = x + y;
  o.product = __dmul_rn(x, y);
  o.quotient = x / y;
  o.root = sqrt(fabs(x));
  o.fused = fma(x, y, -1.0);
  o.low = fmin(x, y);
  o.high = fmax(x, y);
  o.absolute = fabs(x);
  o.nearest = __double2int_rn(x);
  o.down = __double2int_rd(x);
  o.up = __double2int_ru(x);
  o.zero = (int)x;
  o.ll = (long long)(x * 1e6);
  o.bits = __double_as_longlong(y);
  o.narrowed = (float)x;
  o.narrowed_up = __double2float_ru(x);
  o.from_int = threadIdx.x * -3;
  o.from_ull = (double)(0xfffffffffffff800ull + threadIdx.x);
  o.from_float = (float)x;
}

__device__ double special[8];

__global__ void make_special(double zero) {
  special[0] = 1.0 / zero;
  special[1] = -1.0 / zero;
  special[2] = zero / zero;
  special[3] = sqrt(-1.0 + zero);
  special[4] = DBL_MIN / 4 + zero;  // a subnormal number is kept
  special[5] = -zero;
  special[6] = DBL_MAX + DBL_MAX * (1 + zero);
  special[7] = isnan(zero / zero) + 2 * isinf(1 / zero) + 4 * (zero / zero < 1) + 8 * signbit(-zero - 0.0);
}

// Gauss-Jordan by one block: one thread a column.
__global__ void solve(double* m, int n) {
  const int column = threadIdx.x;
  for (int p = 0; p < n; ++p) {
    __syncthreads();
    const double pivot = m[p * (n + 1) + p];
    __syncthreads();
    m[p * (n + 1) + column] /= pivot;
    for (int r = 0; r < n; ++r) {
      __syncthreads();
      const double factor = m[r * (n + 1) + p];
      __syncthreads();
      if (r != p) m[r * (n + 1) + column] -= factor * m[p * (n + 1) + column];
    }
  }
}

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

int main() {
  const int n = 96;
  float *in = managed<float>(n), *out = managed<float>(n);
  double *a = managed<double>(n), *b = managed<double>(n);
  Out* results = managed<Out>(n);
  for (int i = 0; i < n; ++i) {
    in[i] = i * 1.7f - 30;
    a[i] = (i - 48) * 1.37 + 0.5 * (i % 3);
    b[i] = i % 7 ? 1.0 / (i + 1) : -2.5;
  }
  literals<<<1, n>>>(in, out, n);
  operations<<<1, n>>>(a, b, results);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    const Out& o = results[i];
    CHECK_NEAR_AT(i, out[i], (float)(in[i] * 0.1 + 1.0 / 3.0), 1e-6);
    CHECK_EQUAL_AT(i, o.sum, x + y);
    CHECK_EQUAL_AT(i, o.product, x * y);
    CHECK_EQUAL_AT(i, o.quotient, x / y);
    CHECK_EQUAL_AT(i, o.root, sqrt(fabs(x)));
    CHECK_EQUAL_AT(i, o.fused, fma(x, y, -1.0));
    CHECK(o.low == (x < y ? x : y) && o.high == (x < y ? y : x) && o.absolute == (x < 0 ? -x : x));
    CHECK_EQUAL_AT(i, o.nearest, (int)nearbyint(x));
    CHECK_EQUAL_AT(i, o.down, (int)floor(x));
    CHECK_EQUAL_AT(i, o.up, (int)ceil(x));
    CHECK_EQUAL_AT(i, o.zero, (int)x);
    CHECK_EQUAL_AT(i, o.ll, (long long)(x * 1e6));
    CHECK(memcmp(&o.bits, &y, 8) == 0);
    CHECK_EQUAL_AT(i, o.narrowed, (float)x);
    CHECK(o.narrowed_up >= x && nextafterf(o.narrowed_up, -INFINITY) < x);
    CHECK(o.from_int == (double)(i * -3u) && o.from_float == (double)(float)x);
    CHECK_EQUAL_AT(i, o.from_ull, (double)(0xfffffffffffff800ull + i));
  }

  double s[8];
  make_special<<<1, 1>>>(0.0);
  CUDA_CHECK(cudaMemcpyFromSymbol(s, special, sizeof s));
  CHECK(s[0] == INFINITY && s[1] == -INFINITY && isnan(s[2]) && isnan(s[3]));
  CHECK(s[4] == DBL_MIN / 4 && s[5] == 0 && signbit(s[5]) && s[6] == INFINITY);
  CHECK_EQUAL((int)s[7], 1 + 2 + 8);

  const int order = 12;
  double* m = managed<double>(order * (order + 1));
  for (int r = 0; r < order; ++r) {
    double right = 0;
    for (int c = 0; c < order; ++c) right += (m[r * (order + 1) + c] = r == c ? 20 : (r * 5 + c * 3) % 7) * (c + 1);
    m[r * (order + 1) + order] = right;
  }
  solve<<<1, order + 1>>>(m, order);
  CHECK_LAUNCH();
  for (int r = 0; r < order; ++r) CHECK_NEAR_AT(r, m[r * (order + 1) + order], r + 1, 1e-12);
  return all_ok();
}
