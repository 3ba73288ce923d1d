// Single-precision exponentials: the argument is reduced to a power of two and a remainder within
// one half, and the special function unit's ex2.approx does the rest, as on the GPU.
#pragma once

#include "fast_intrinsics.h"
#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

// a * 2^n for -252 <= n <= 254, rounded once if a is normal and near one.
RADDLE_LIBDEVICE_HELPER float scaled(float a, int n) {
  const int half = n >> 1;
  return mul(mul(a, float_power_of_two(half)), float_power_of_two(n - half));
}

// e^(a.high + a.low) * 2^extra_exponent, for an extra exponent of at most 60 either way.
RADDLE_LIBDEVICE_HELPER float exp_of_pair(Pair<float> a, int extra_exponent) {
  const float n = nearest_integer(mul(a.high, 0x1.715476p+0f));
  float r = fma(a.high, 0x1.715476p+0f, -n);
  r = fma(a.high, 0x1.4ae0c0p-26f, r);
  r = fma(a.low, 0x1.715476p+0f, r);
  const float result = scaled(ex2_approx(r), exponent_plus(n, extra_exponent));
  // Outside these bounds the shifts of scaled() may have wrapped around.
  if (a.high > 120.0f) return float_infinity();
  return a.high < -150.0f ? 0.0f : result;
}

RADDLE_LIBDEVICE_HELPER float exp_with_scale(float a, int extra_exponent) {
  const float n = nearest_integer(mul(a, 0x1.715476p+0f));
  float r = fma(a, 0x1.715476p+0f, -n);
  r = fma(a, 0x1.4ae0c0p-26f, r);
  const float result = scaled(ex2_approx(r), exponent_plus(n, extra_exponent));
  if (a > 120.0f) return float_infinity();
  return a < -150.0f ? 0.0f : result;
}

// e^a = 2^n 2^r. The integer n is kept within what one factor can scale by, -126 to 126: beyond, r
// grows instead, and ex2.approx overflows or underflows as the result does. Adding 1.5 * 2^23
// rounds to an integer and leaves its bits where a shift makes them an exponent.
RADDLE_LIBDEVICE_HELPER float exp_in_one_scale(float a) {
  const float place = saturate(fma(a, 0x1.715476p+0f / 252, 0.5f));  // of n in its range
  const float biased = fma(place, 252.0f, 0x1.8p+23f + 1);           // n + 127 in its low bits
  const float n = sub(biased, 0x1.8p+23f + 127);
  float r = fma(a, 0x1.715476p+0f, -n);
  r = fma(a, 0x1.4ae0c0p-26f, r);
  return mul(ex2_approx(r), float_from_bits(bits_of(biased) << 23));
}

RADDLE_LIBDEVICE float __nv_expf(float a) {
  return RADDLE_LIBDEVICE_FAST_OR_CAREFUL(__nv_fast_expf(a), exp_in_one_scale(a));
}

RADDLE_LIBDEVICE float __nv_exp2f(float a) { return ex2_approx(a); }

RADDLE_LIBDEVICE_HELPER float power_of_ten(float a) {
  const float n = nearest_integer(mul(a, 0x1.a934f0p+1f));
  // a * log2(10) - n in two parts of the constant.
  float r = fma(a, 0x1.a934f0p+1f, -n);
  r = fma(a, 0x1.2f346ep-24f, r);
  const float result = scaled(ex2_approx(r), to_int_rz(n));
  if (a > 40.0f) return float_infinity();
  return a < -50.0f ? 0.0f : result;
}
RADDLE_LIBDEVICE float __nv_exp10f(float a) {
  return RADDLE_LIBDEVICE_FAST_OR_CAREFUL(__nv_fast_exp10f, power_of_ten)(a);
}

}  // namespace raddle::libdevice
