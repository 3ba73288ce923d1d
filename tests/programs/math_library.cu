// Spot checks of the math library in kernels: the functions that old programs use and their fast forms, within the error
// bounds that the CUDA guide gives, against the host's double precision. The library's own tests are in tests/libdevice.
#include "check.h"

#define FUNCTIONS(F)                                                                                                     \
  F(sqrt, sqrtf(x), sqrt(X), 0.5) F(rsqrt, rsqrtf(x), 1 / sqrt(X), 2) F(exp, expf(x), exp(X), 2)                         \
  F(exp2, exp2f(x), exp2(X), 2) F(log, logf(x), log(X), 2) F(log2, log2f(x), log2(X), 2) F(log10, log10f(x), log10(X), 3) \
  F(pow, powf(x, y), pow(X, Y), 8) F(sin, sinf(x), sin(X), 2) F(cos, cosf(x), cos(X), 2) F(tan, tanf(x), tan(X), 4)      \
  F(atan, atanf(x), atan(X), 2) F(atan2, atan2f(y, x), atan2(Y, X), 3) F(asin, asinf(y), asin(Y), 4)                     \
  F(sinh, sinhf(y), sinh(Y), 3) F(tanh, tanhf(y), tanh(Y), 2) F(erf, erff(y), erf(Y), 2) F(cbrt, cbrtf(x), cbrt(X), 1)   \
  F(fmod, fmodf(x, 0.7f), fmod(X, (double)0.7f), 0) F(floor, floorf(x), floor(X), 0) F(ceil, ceilf(y), ceil(Y), 0)       \
  F(rint, rintf(x), rint(X), 0) F(trunc, truncf(x), trunc(X), 0) F(hypot, hypotf(x, y), hypot(X, Y), 3)                  \
  F(division, x / y, X / Y, 0.5) F(powi, powf(x, 3), X * X * X, 8) F(lgamma, lgammaf(x), lgamma(X), 6)                   \
  F(fdim, fdimf(x, y), fdim(X, Y), 0.5) F(saturate, __saturatef(y), fmin(fmax(Y, 0.0), 1.0), 0)                          \
  F(fast_exp, __expf(x), exp(X), 30) F(fast_log, __logf(x), log(X), 3 + 2e6 / fabs(log(X)) / 8)                          \
  F(fast_pow, __powf(x, 2.0f), X * X, 60) F(fast_divide, __fdividef(x, y), X / Y, 2)                                     \
  F(fast_sin, __sinf(y), sin(Y), 3e7) F(fast_cos, __cosf(y), cos(Y), 3e7)

#define NAME(name, device, host, ulp) k_##name,
enum { FUNCTIONS(NAME) kFunctions };

__global__ void evaluate(const float* xs, const float* ys, float* out) {
  const float x = xs[threadIdx.x], y = ys[threadIdx.x];
#define EVALUATE(name, device, host, ulp) out[k_##name * blockDim.x + threadIdx.x] = device;
  FUNCTIONS(EVALUATE)
}

static void check_function(int function, const char* name, float got, double expected, double ulps, float x, float y) {
  // Relative to the spacing of floats there; the fast sine is bounded absolutely (2^-21.4 within -pi..pi).
  const double step = ldexp(1, ilogb(expected == 0 ? 1e-30 : expected) - 23);
  const double bound = function == k_fast_sin || function == k_fast_cos ? 4e-7 : (ulps + 0.5) * step;
  if (isnan(expected) && isnan(got)) return;
  if (fabs(got - expected) <= bound) return;
  fprintf(stderr, "%s(%.9g, %.9g) is %.9g, expected %.17g within %g ulp\n", name, x, y, got, expected, ulps);
  exit(1);
}

// Whole powers of two must come out whole: programs count with them.
__global__ void powers_of_two(int* fast, int* careful, double* twice) {
  const int i = threadIdx.x;
  fast[i] = (int)__powf(2, i);
  careful[i] = (int)pow(2.0, (double)i);
  twice[i] = exp(log((double)(i + 1))) + sin((double)i) * cos((double)i) + pow(1.1, i) + fmod(i * 1.7, 0.3) + tgamma(i * 0.25 + 1);
}

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

int main() {
  const int n = 96;
  float *x = managed<float>(n), *y = managed<float>(n), *out = managed<float>(kFunctions * n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.01f + i * 0.173f;
    y[i] = -0.985f + i * 0.0205f;
  }
  evaluate<<<1, n>>>(x, y, out);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    const double X = x[i], Y = y[i];
#define COMPARE(name, device, host, ulp) check_function(k_##name, #name, out[k_##name * n + i], host, ulp, x[i], y[i]);
    FUNCTIONS(COMPARE)
  }

  int *fast = managed<int>(31), *careful = managed<int>(31);
  double* twice = managed<double>(31);
  powers_of_two<<<1, 31>>>(fast, careful, twice);
  CHECK_LAUNCH();
  for (int i = 0; i < 31; ++i) {
    CHECK_EQUAL_AT(i, fast[i], 1 << i);
    CHECK_EQUAL_AT(i, careful[i], 1 << i);
    const double expected = exp(log((double)(i + 1))) + sin((double)i) * cos((double)i) + pow(1.1, i) + fmod(i * 1.7, 0.3) + tgamma(i * 0.25 + 1);
    CHECK_NEAR_AT(i, twice[i], expected, fabs(expected) * 4e-15);
  }
  return all_ok();
}
