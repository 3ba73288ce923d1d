// Half precision: conversions with correct rounding, arithmetic on half and half2, comparisons, and data stored as 16 bits.
// The host's definition of a half is written out below, independent of the header under test.
#include <cuda_fp16.h>
#include <stdint.h>

#include "check.h"

// The nearest half, ties to even, as a float.
static float round_to_half(float x) {
  if (x == 0 || isnan(x) || isinf(x)) return x;
  const int exponent = ilogbf(x) < -14 ? -14 : ilogbf(x);
  const float step = ldexpf(1, exponent - 10), rounded = rintf(x / step) * step;
  return fabsf(rounded) > 65504 ? copysignf(INFINITY, x) : rounded;
}

__global__ void convert(const float* in, __half* out, float* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __float2half(in[i]);
  back[i] = __half2float(out[i]);
}

struct Out {
  __half sum, difference, product, quotient, fused, negated, root, low;
  __half2 pair;
  int order, from_half;
  __half from_int;
};

__global__ void operations(const __half* a, const __half* b, Out* out) {
  const int i = threadIdx.x;
  const __half x = a[i], y = b[i];
  Out& o = out[i];
  o.sum = __hadd(x, y);
  o.difference = x - y;
  o.product = x * y;
  o.quotient = __hdiv(x, y);
  o.fused = __hfma(x, y, __float2half(1.0f));
  o.negated = -x;
  o.root = hsqrt(__habs(x));
  o.low = __hmin(x, y);
  o.pair = __hadd2(__halves2half2(x, y), __hmul2(__half2half2(y), __floats2half2_rn(2.0f, 4.0f)));
  o.order = __hlt(x, y) + 2 * __heq(x, x) + 4 * (x > y) + 8 * __hisnan(x);
  o.from_half = __half2int_rn(x);
  o.from_int = __int2half_rn(i * 3);
}

__global__ void axpy(const __half2* x, __half2* y, __half2 a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

// The smaller integers that a half number turns into.
struct Small {
  signed char low;
  unsigned char byte;
  char plain;
  long whole;
};

__global__ void narrow(const __half* a, Small* out) {
  const int i = threadIdx.x;
  out[i].low = static_cast<signed char>(a[i]);
  out[i].byte = static_cast<unsigned char>(a[i]);
  out[i].plain = static_cast<char>(a[i]);
  out[i].whole = static_cast<long>(a[i]);
}

int main() {
  const int n = 200;
  float *in = managed<float>(n), *back = managed<float>(n);
  __half *a = managed<__half>(n), *b = managed<__half>(n);
  for (int i = 0; i < n; ++i) in[i] = (i - 100) * expf((i % 23) - 11) * 0.37f;
  const float corners[] = {0, -0.0f, 65504, 65519, 65520, 1e9f, 6e-8f, 2.9e-8f, 3.1e-8f, 6.1e-5f, 1.00048828125f, INFINITY};
  for (int i = 0; i < 12; ++i) in[i] = corners[i];
  convert<<<1, 256>>>(in, a, back, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL_AT(i, back[i], round_to_half(in[i]));
    CHECK_EQUAL_AT(i, __half2float(a[i]), back[i]);
    const __half on_host = __float2half(in[i]);
    CHECK(memcmp(&on_host, &a[i], 2) == 0);
  }

  const int m = 64;
  Out* out = managed<Out>(m);
  for (int i = 0; i < m; ++i) {
    a[i] = __float2half((i - 20) * 0.31f);
    b[i] = __float2half(i * 0.5f + 0.25f);
  }
  operations<<<1, m>>>(a, b, out);
  CHECK_LAUNCH();
  for (int i = 0; i < m; ++i) {
    const float x = __half2float(a[i]), y = __half2float(b[i]);
    const Out& o = out[i];
    CHECK_EQUAL_AT(i, __half2float(o.sum), round_to_half(x + y));
    CHECK_EQUAL_AT(i, __half2float(o.difference), round_to_half(x - y));
    CHECK_EQUAL_AT(i, __half2float(o.product), round_to_half(x * y));
    CHECK_NEAR_AT(i, __half2float(o.quotient), x / y, fabs(x / y) * 0.0011);
    CHECK_EQUAL_AT(i, __half2float(o.fused), round_to_half((float)((double)x * y + 1)));
    CHECK_EQUAL_AT(i, __half2float(o.negated), -x);
    CHECK_NEAR_AT(i, __half2float(o.root), sqrtf(fabsf(x)), sqrtf(fabsf(x)) * 0.0011f);
    CHECK_EQUAL_AT(i, __half2float(o.low), fminf(x, y));
    CHECK_EQUAL_AT(i, __low2float(o.pair), round_to_half(x + round_to_half(2 * y)));
    CHECK_EQUAL_AT(i, __high2float(o.pair), round_to_half(y + round_to_half(4 * y)));
    CHECK_EQUAL_AT(i, o.order, (x < y) + 2 + 4 * (x > y));
    CHECK_EQUAL_AT(i, o.from_half, (int)rintf(x));
    CHECK_EQUAL_AT(i, __half2float(o.from_int), i * 3.0f);
  }

  const int pairs = 100;
  __half2 *x = managed<__half2>(pairs), *y = managed<__half2>(pairs);
  for (int i = 0; i < pairs; ++i) {
    x[i] = __floats2half2_rn(i, -i);
    y[i] = __floats2half2_rn(1, i % 8);
  }
  axpy<<<1, 128>>>(x, y, __float2half2_rn(0.5f), pairs);
  CHECK_LAUNCH();
  for (int i = 0; i < pairs; ++i) {
    CHECK_EQUAL_AT(i, __low2float(y[i]), i * 0.5f + 1);
    CHECK_EQUAL_AT(i, __high2float(y[i]), i * -0.5f + i % 8);
  }

  const float wide[] = {0.0f, 1.75f, -1.75f, 127.5f, 128.0f, -129.0f, 255.5f, 300.0f, -60000.0f};
  const int count = sizeof(wide) / sizeof(wide[0]);
  Small* small = managed<Small>(count + 1);
  for (int i = 0; i < count; ++i) a[i] = __float2half(wide[i]);
  a[count] = __float2half(NAN);
  narrow<<<1, count + 1>>>(a, small);
  CHECK_LAUNCH();
  for (int i = 0; i < count; ++i) {
    const int low = (int)fmaxf(-128.0f, fminf(127.0f, truncf(wide[i])));
    CHECK_EQUAL_AT(i, small[i].low, low);
    CHECK_EQUAL_AT(i, small[i].plain, low);
    CHECK_EQUAL_AT(i, small[i].byte, (int)fmaxf(0.0f, fminf(255.0f, truncf(wide[i]))));
    CHECK_EQUAL_AT(i, small[i].whole, (long)wide[i]);
  }
  CHECK_EQUAL_AT(count, small[count].low, 0);
  CHECK_EQUAL_AT(count, small[count].byte, 0);
  return all_ok();
}
