// bfloat16: conversions of all 65,536 patterns and of the floats around them in the four rounding modes, arithmetic, comparisons, pairs, functions
// and atomics. The host's bfloat16 is written out below, independent of the header under test.
#include <cuda_bf16.h>
#include <string.h>

#include "check.h"

static float value_of(unsigned pattern) {
  const unsigned exponent = pattern >> 7 & 0xff, fraction = pattern & 0x7f;
  const double sign = (pattern & 0x8000) != 0 ? -1 : 1;
  if (exponent == 255) return fraction != 0 ? NAN : (float)(sign * INFINITY);
  return (float)(sign * (exponent == 0 ? ldexp(fraction, -133) : ldexp(128 + fraction, (int)exponent - 134)));
}

// Between the pattern toward zero and its outer neighbour; mode: n, z, d, u.
static unsigned rounded(double x, char mode) {
  if (isnan(x)) return 0x7fff;
  const unsigned sign = signbit(x) ? 0x8000 : 0;
  const double magnitude = fabs(x);
  if (isinf(x)) return sign | 0x7f80;
  unsigned low = 0, high = 0x7f80;  // value_of(low) <= magnitude < value_of(high)
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (value_of(middle) <= magnitude ? low : high) = middle;
  }
  const double below = value_of(low), above = low == 0x7f7f ? ldexp(1, 128) : value_of(low + 1);
  if (below == magnitude) return sign | low;
  bool outward = mode == 'u' ? sign == 0 : mode == 'd' ? sign != 0 : false;
  if (mode == 'n') outward = magnitude - below > above - magnitude || (magnitude - below == above - magnitude && low % 2 == 1);
  return sign | (low + outward);
}

static double near_integer(double x, char mode) { return mode == 'n' ? rint(x) : mode == 'z' ? trunc(x) : mode == 'd' ? floor(x) : ceil(x); }
static double clamped(double x, double low, double high) { return isnan(x) ? 0 : fmin(fmax(x, low), high); }

struct Conversions {
  float to_float;
  int to_int[4];
  unsigned char to_uchar;
  short to_short;
  unsigned long long to_ull;
  unsigned short from_float[4][4];
  unsigned short from_double;
};

__host__ __device__ float neighbour(unsigned pattern, int which) {
  const unsigned tail[] = {0x0001, 0x7fff, 0x8000, 0x8001};
  const unsigned bits = pattern << 16 | tail[which];
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

__global__ void convert(Conversions* out) {
  const unsigned pattern = blockIdx.x * blockDim.x + threadIdx.x;
  Conversions& o = out[pattern];
  const __nv_bfloat16 x = __ushort_as_bfloat16((unsigned short)pattern);
  o.to_float = __bfloat162float(x);
  o.to_int[0] = __bfloat162int_rn(x);
  o.to_int[1] = __bfloat162int_rz(x);
  o.to_int[2] = __bfloat162int_rd(x);
  o.to_int[3] = __bfloat162int_ru(x);
  o.to_uchar = __bfloat162uchar_rz(x);
  o.to_short = __bfloat162short_rn(x);
  o.to_ull = __bfloat162ull_rz(x);
  for (int i = 0; i < 4; ++i) {
    const float f = neighbour(pattern, i);
    o.from_float[0][i] = __bfloat16_as_ushort(__float2bfloat16_rn(f));
    o.from_float[1][i] = __bfloat16_as_ushort(__float2bfloat16_rz(f));
    o.from_float[2][i] = __bfloat16_as_ushort(__float2bfloat16_rd(f));
    o.from_float[3][i] = __bfloat16_as_ushort(__float2bfloat16_ru(f));
  }
  // Just beside a tie, where rounding to float on the way would lose the difference.
  o.from_double = __bfloat16_as_ushort(__double2bfloat16((double)neighbour(pattern, 2) * (1 + 1e-12)));
}

struct Out {
  __nv_bfloat16 sum, difference, product, quotient, fused, saturated, relu, low, root, from_int, from_ll;
  __nv_bfloat162 pair, compared, wave;
  unsigned mask;
  int order;
};

__global__ void operations(const __nv_bfloat16* a, const __nv_bfloat16* b, Out* out, __nv_bfloat16* total, __nv_bfloat162* totals) {
  const int i = threadIdx.x;
  const __nv_bfloat16 x = a[i], y = b[i];
  Out& o = out[i];
  o.sum = __hadd(x, y);
  o.difference = x - y;
  o.product = x * y;
  o.quotient = x / y;
  o.fused = __hfma(x, y, __float2bfloat16(1.0f));
  o.saturated = __hadd_sat(x, y);
  o.relu = __hfma_relu(x, y, __float2bfloat16(0.0f));
  o.low = __hmin(x, y);
  o.root = hsqrt(__habs(x));
  o.from_int = __int2bfloat16_rn(i * 16777 + 1);
  o.from_ll = __ll2bfloat16_rn(-(1ll << 40) - i);
  o.pair = __hfma2(__halves2bfloat162(x, y), __bfloat162bfloat162(y), __floats2bfloat162_rn(1.0f, -1.0f));
  o.compared = __hlt2(__halves2bfloat162(x, y), __halves2bfloat162(y, x));
  o.mask = __hgt2_mask(__halves2bfloat162(x, y), __halves2bfloat162(y, x));
  o.order = __hlt(x, y) + 2 * __heq(x, x) + 4 * (x > y) + 8 * __hisnan(x);
  o.wave = __shfl_xor_sync(0xffffffffu, __halves2bfloat162(x, y), 1);
  atomicAdd(total, __float2bfloat16(1.0f));
  atomicAdd(totals, __floats2bfloat162_rn(0.5f, 2.0f));
}

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

int main() {
  const int patterns = 65536;
  Conversions* all = managed<Conversions>(patterns);
  convert<<<patterns / 256, 256>>>(all);
  CHECK_LAUNCH();
  for (int i = 0; i < patterns; ++i) {
    const Conversions& c = all[i];
    const float x = value_of(i);
    CHECK(isnan(x) ? isnan(c.to_float) : x == c.to_float && signbit(x) == signbit(c.to_float));
    for (int mode = 0; mode < 4; ++mode) {
      CHECK_EQUAL_AT(i, c.to_int[mode], (int)clamped(near_integer(x, "nzdu"[mode]), INT_MIN, INT_MAX));
      for (int k = 0; k < 4; ++k) CHECK_EQUAL_AT(i, (unsigned)c.from_float[mode][k], rounded(neighbour(i, k), "nzdu"[mode]));
    }
    CHECK_EQUAL_AT(i, (int)c.to_uchar, (int)clamped(trunc(x), 0, 255));
    CHECK_EQUAL_AT(i, (int)c.to_short, (int)clamped(rint(x), -32768, 32767));
    const double wide = isnan(x) ? 0 : fmax(trunc((double)x), 0);
    CHECK_EQUAL_AT(i, c.to_ull, wide >= ldexp(1, 64) ? ~0ull : (unsigned long long)wide);
    CHECK_EQUAL_AT(i, (unsigned)c.from_double, rounded((double)neighbour(i, 2) * (1 + 1e-12), 'n'));
  }

  const int n = 64;
  __nv_bfloat16 *a = managed<__nv_bfloat16>(n), *b = managed<__nv_bfloat16>(n), *total = managed<__nv_bfloat16>(2);
  __nv_bfloat162* totals = managed<__nv_bfloat162>(1);
  Out* out = managed<Out>(n);
  for (int i = 0; i < n; ++i) {
    a[i] = __float2bfloat16((i - 20) * 0.31f);
    b[i] = __float2bfloat16(i * 0.5f + 0.25f);
  }
  total[0] = 0.0f;
  totals[0] = __floats2bfloat162_rn(0, 0);
  operations<<<1, n>>>(a, b, out, total, totals);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    const double x = (float)a[i], y = (float)b[i];
    const Out& o = out[i];
    CHECK_EQUAL_AT(i, (unsigned)__bfloat16_as_ushort(o.sum), rounded(x + y, 'n'));
    CHECK_EQUAL_AT(i, (unsigned)__bfloat16_as_ushort(o.difference), rounded(x - y, 'n'));
    CHECK_EQUAL_AT(i, (unsigned)__bfloat16_as_ushort(o.product), rounded(x * y, 'n'));
    CHECK_EQUAL_AT(i, (float)o.quotient, value_of(rounded(x / y, 'n')));
    CHECK_EQUAL_AT(i, (float)o.fused, value_of(rounded((float)(x * y + 1), 'n')));
    CHECK_EQUAL_AT(i, (float)o.saturated, value_of(rounded(fmin(fmax(x + y, 0), 1), 'n')));
    CHECK_EQUAL_AT(i, (float)o.relu, value_of(rounded(fmax(x * y, 0), 'n')));
    CHECK_EQUAL_AT(i, (double)(float)o.low, fmin(x, y));
    CHECK_NEAR_AT(i, (float)o.root, sqrt(fabs(x)), sqrt(fabs(x)) * 0.005);
    CHECK_EQUAL_AT(i, (unsigned)__bfloat16_as_ushort(o.from_int), rounded(i * 16777 + 1, 'n'));
    CHECK_EQUAL_AT(i, (unsigned)__bfloat16_as_ushort(o.from_ll), rounded(-ldexp(1, 40) - i, 'n'));
    CHECK_EQUAL_AT(i, (float)o.pair.x, value_of(rounded((float)(x * y + 1), 'n')));
    CHECK_EQUAL_AT(i, (float)o.pair.y, value_of(rounded((float)(y * y - 1), 'n')));
    CHECK_EQUAL_AT(i, (float)o.compared.x, x < y ? 1.0f : 0.0f);
    CHECK_EQUAL_AT(i, (float)o.compared.y, y < x ? 1.0f : 0.0f);
    CHECK_EQUAL_AT(i, o.mask, (x > y ? 0xffffu : 0u) | (y > x ? 0xffff0000u : 0u));
    CHECK_EQUAL_AT(i, o.order, (x < y) + 2 + 4 * (x > y));
    CHECK_EQUAL_AT(i, (float)o.wave.x, (float)a[i ^ 1]);
    CHECK_EQUAL_AT(i, (float)o.wave.y, (float)b[i ^ 1]);
  }
  CHECK_EQUAL_AT(0, (float)total[0], 64.0f);
  CHECK_EQUAL_AT(0, (float)totals[0].x, 32.0f);
  CHECK_EQUAL_AT(0, (float)totals[0].y, 128.0f);
  return all_ok();
}
