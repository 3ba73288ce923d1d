// Functions on the representation of floating-point numbers, all of them exact: signs, classes,
// minimum and maximum, rounding to integers, neighbours, exponents and scaling by powers of two.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE double __nv_fabs(double a) { return magnitude(a); }
RADDLE_LIBDEVICE float __nv_fabsf(float a) { return magnitude(a); }
RADDLE_LIBDEVICE double __nv_copysign(double a, double b) { return with_sign(a, b); }
RADDLE_LIBDEVICE float __nv_copysignf(float a, float b) { return with_sign(a, b); }
RADDLE_LIBDEVICE double __nv_fmax(double a, double b) { return larger(a, b); }
RADDLE_LIBDEVICE float __nv_fmaxf(float a, float b) { return larger(a, b); }
RADDLE_LIBDEVICE double __nv_fmin(double a, double b) { return smaller(a, b); }
RADDLE_LIBDEVICE float __nv_fminf(float a, float b) { return smaller(a, b); }
RADDLE_LIBDEVICE float __nv_saturatef(float a) { return saturate(a); }

RADDLE_LIBDEVICE int __nv_isnand(double a) { return is_nan(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_isnanf(float a) { return is_nan(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_isinfd(double a) { return is_infinite(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_isinff(float a) { return is_infinite(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_isfinited(double a) { return is_finite(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_finitef(float a) { return is_finite(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_signbitd(double a) { return has_sign_bit(a) ? 1 : 0; }
RADDLE_LIBDEVICE int __nv_signbitf(float a) { return has_sign_bit(a) ? 1 : 0; }
// The payload string is ignored: every NaN that the device produces is the canonical one.
RADDLE_LIBDEVICE double __nv_nan(const signed char*) { return double_nan(); }
RADDLE_LIBDEVICE float __nv_nanf(const signed char*) { return float_nan(); }

// The comparison is false for NaN, which the subtraction must then pass on.
RADDLE_LIBDEVICE double __nv_fdim(double a, double b) { return a <= b ? 0.0 : sub(a, b); }
RADDLE_LIBDEVICE float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : sub(a, b); }

RADDLE_LIBDEVICE double __nv_floor(double a) { return floor_of(a); }
RADDLE_LIBDEVICE float __nv_floorf(float a) { return floor_of(a); }
RADDLE_LIBDEVICE double __nv_ceil(double a) { return __builtin_ceil(a); }
RADDLE_LIBDEVICE float __nv_ceilf(float a) { return __builtin_ceilf(a); }
RADDLE_LIBDEVICE double __nv_trunc(double a) { return integer_part(a); }
RADDLE_LIBDEVICE float __nv_truncf(float a) { return integer_part(a); }
RADDLE_LIBDEVICE double __nv_rint(double a) { return nearest_integer(a); }
RADDLE_LIBDEVICE float __nv_rintf(float a) { return nearest_integer(a); }
RADDLE_LIBDEVICE double __nv_nearbyint(double a) { return nearest_integer(a); }
RADDLE_LIBDEVICE float __nv_nearbyintf(float a) { return nearest_integer(a); }
RADDLE_LIBDEVICE long long __nv_llrint(double a) { return to_longlong_rn(a); }
RADDLE_LIBDEVICE long long __nv_llrintf(float a) { return to_longlong_rn(a); }

// Halves away from zero: adding the number just below one half and truncating is right for every
// number that has a fraction; larger ones are whole already.
RADDLE_LIBDEVICE double __nv_round(double a) {
  const double rounded = integer_part(add(a, with_sign(0x1.fffffffffffffp-2, a)));
  return magnitude(a) < 0x1p52 ? with_sign(rounded, a) : a;
}
RADDLE_LIBDEVICE float __nv_roundf(float a) {
  const float rounded = integer_part(add(a, with_sign(0x1.fffffep-2f, a)));
  return magnitude(a) < 0x1p23f ? with_sign(rounded, a) : a;
}
RADDLE_LIBDEVICE long long __nv_llround(double a) { return to_longlong_rz(__nv_round(a)); }
RADDLE_LIBDEVICE long long __nv_llroundf(float a) { return to_longlong_rz(__nv_roundf(a)); }

// Neighbouring numbers have neighbouring bit patterns; zero has one neighbour on either side.
RADDLE_LIBDEVICE double __nv_nextafter(double a, double b) {
  if (is_nan(a) || is_nan(b)) return a + b;
  if (a == b) return b;
  if (a == 0.0) return with_sign(double_from_bits(1), b);
  return double_from_bits(((a < b) == (a > 0.0)) ? bits_of(a) + 1 : bits_of(a) - 1);
}
RADDLE_LIBDEVICE float __nv_nextafterf(float a, float b) {
  if (is_nan(a) || is_nan(b)) return a + b;
  if (a == b) return b;
  if (a == 0.0f) return with_sign(float_from_bits(1), b);
  return float_from_bits(((a < b) == (a > 0.0f)) ? bits_of(a) + 1 : bits_of(a) - 1);
}

// The fraction of an infinity is zero; the sign of the argument stays on both parts.
RADDLE_LIBDEVICE double __nv_modf(double a, double* whole) {
  *whole = integer_part(a);
  return with_sign(is_infinite(a) ? 0.0 : sub(a, *whole), a);
}
RADDLE_LIBDEVICE float __nv_modff(float a, float* whole) {
  *whole = integer_part(a);
  return with_sign(is_infinite(a) ? 0.0f : sub(a, *whole), a);
}

// The exponent e of a finite number other than zero, 1 <= |a| / 2^e < 2, denormals included.
RADDLE_LIBDEVICE_HELPER int exponent_of(double a) {
  const unsigned long long bits = bits_of(a) & 0x7fffffffffffffffull;
  const int biased = static_cast<int>(bits >> 52);
  return biased != 0 ? biased - 1023 : -1011 - leading_zeros(bits);
}
RADDLE_LIBDEVICE_HELPER int exponent_of(float a) {
  const unsigned int bits = bits_of(a) & 0x7fffffffu;
  const int biased = static_cast<int>(bits >> 23);
  return biased != 0 ? biased - 127 : -118 - leading_zeros(bits);
}

RADDLE_LIBDEVICE int __nv_ilogb(double a) {
  if (a == 0.0 || is_nan(a)) return -2147483647 - 1;
  return is_infinite(a) ? 2147483647 : exponent_of(a);
}
RADDLE_LIBDEVICE int __nv_ilogbf(float a) {
  if (a == 0.0f || is_nan(a)) return -2147483647 - 1;
  return is_infinite(a) ? 2147483647 : exponent_of(a);
}
RADDLE_LIBDEVICE double __nv_logb(double a) {
  if (a == 0.0) return -double_infinity();
  return is_finite(a) ? to_double_rn(exponent_of(a)) : a * a;
}
RADDLE_LIBDEVICE float __nv_logbf(float a) {
  if (a == 0.0f) return -float_infinity();
  return is_finite(a) ? to_float_rn(exponent_of(a)) : a * a;
}

// a * 2^n, rounded once. Three factors reach every exponent. Downwards the last factor is at most
// 2^-54 (2^-25 for float): a number that the earlier ones made denormal, and so rounded, becomes
// zero anyway.
RADDLE_LIBDEVICE double __nv_ldexp(double a, int n) {
  n = n < -2200 ? -2200 : (n > 2200 ? 2200 : n);
  if (n > 1023) {
    const int rest = n - 1023;
    const int second = rest > 1023 ? 1023 : rest;
    return a * 0x1p1023 * double_power_of_two(second) * double_power_of_two(rest - second);
  }
  if (n < -1022) {
    const int rest = n + 969;
    const int last = rest < -969 ? -969 : rest;
    return a * 0x1p-969 * double_power_of_two(rest - last) * double_power_of_two(last);
  }
  return a * double_power_of_two(n);
}
RADDLE_LIBDEVICE float __nv_ldexpf(float a, int n) {
  n = n < -300 ? -300 : (n > 300 ? 300 : n);
  if (n > 127) {
    const int rest = n - 127;
    const int second = rest > 127 ? 127 : rest;
    return a * 0x1p127f * float_power_of_two(second) * float_power_of_two(rest - second);
  }
  if (n < -126) {
    const int rest = n + 102;
    const int last = rest < -102 ? -102 : rest;
    return a * 0x1p-102f * float_power_of_two(rest - last) * float_power_of_two(last);
  }
  return a * float_power_of_two(n);
}
RADDLE_LIBDEVICE double __nv_scalbn(double a, int n) { return __nv_ldexp(a, n); }
RADDLE_LIBDEVICE float __nv_scalbnf(float a, int n) { return __nv_ldexpf(a, n); }

RADDLE_LIBDEVICE double __nv_frexp(double a, int* exponent) {
  if (a == 0.0 || !is_finite(a)) {
    *exponent = 0;
    return a + a;
  }
  const bool denormal = magnitude(a) < 0x1p-1022;
  const unsigned long long bits = bits_of(denormal ? a * 0x1p54 : a);
  *exponent = static_cast<int>((bits >> 52) & 0x7ff) - (denormal ? 1076 : 1022);
  return double_from_bits((bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
RADDLE_LIBDEVICE float __nv_frexpf(float a, int* exponent) {
  if (a == 0.0f || !is_finite(a)) {
    *exponent = 0;
    return a + a;
  }
  const bool denormal = magnitude(a) < 0x1p-126f;
  const unsigned int bits = bits_of(denormal ? a * 0x1p25f : a);
  *exponent = static_cast<int>((bits >> 23) & 0xff) - (denormal ? 151 : 126);
  return float_from_bits((bits & 0x807fffffu) | 0x3f000000u);
}

}  // namespace raddle::libdevice
