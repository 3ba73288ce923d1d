// Single-precision sine, cosine and tangent. Arguments are reduced to [-pi/4, pi/4] by Cody and
// Waite's three-part constant, and beyond its reach by Payne and Hanek's product with the bits of
// 2/pi that matter; minimax polynomials do the rest.
#pragma once

#include "fast_intrinsics.h"
#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

struct FloatQuadrant {
  float angle;   // in [-pi/4, pi/4]
  int quadrant;  // modulo 4, the multiple of pi/2 that was taken away
};

// Payne and Hanek (1983): of a * 2/pi only the two lowest integer bits and the fraction are wanted,
// so only 96 bits of 2/pi from a position that the exponent names take part.
RADDLE_LIBDEVICE_HELPER FloatQuadrant reduce_large_angle(float a) {
  static const unsigned int kTwoOverPi[8] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                             0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
  const unsigned int bits = bits_of(a);
  const int exponent = static_cast<int>((bits >> 23) & 0xff) - 127;
  const unsigned int mantissa = (bits << 8) | 0x80000000u;  // a = mantissa * 2^(exponent - 31)
  // Bits of 2/pi above this one give multiples of four. The leading zero word keeps it positive.
  const int first_bit = exponent - 31 - 2 + 32;
  const int word = first_bit >> 5;
  const int shift = first_bit & 31;
  const auto window = [&](int index) {
    const unsigned long long two_words = static_cast<unsigned long long>(kTwoOverPi[word + index])
                                             << 32 |
                                         kTwoOverPi[word + index + 1];
    return static_cast<unsigned int>((two_words << shift) >> 32);
  };
  const unsigned long long low = static_cast<unsigned long long>(mantissa) * window(2);
  const unsigned long long middle = static_cast<unsigned long long>(mantissa) * window(1);
  const unsigned long long high = static_cast<unsigned long long>(mantissa * window(0)) << 32;
  // Two bits of quadrant, then the fraction of a quarter turn.
  const unsigned long long turn = high + middle + (low >> 32);
  int quadrant = static_cast<int>((turn + (1ull << 61)) >> 62);
  const unsigned long long fraction = turn << 2;
  const bool negative = (fraction >> 63) != 0;
  unsigned long long size = negative ? 0 - fraction : fraction;
  const int zeros = leading_zeros(size);
  size <<= zeros;
  // Times pi/2 in fixed point, 32 significant bits.
  const unsigned int angle = mul_high(static_cast<unsigned int>(size >> 32), 0xc90fdaa2u);
  float result = mul(to_float_rn(angle), float_power_of_two(-31 - zeros));
  if (has_sign_bit(a)) {
    quadrant = -quadrant;
    result = -result;
  }
  return {negative ? -result : result, quadrant};
}

RADDLE_LIBDEVICE_HELPER FloatQuadrant reduce_angle(float a) {
  const float n = nearest_integer(mul(a, 0x1.45f306p-1f));
  float angle = fma(n, -0x1.921fb6p+0f, a);
  angle = fma(n, 0x1.777a5cp-25f, angle);
  angle = fma(n, 0x1.ee59dap-50f, angle);
  FloatQuadrant result = {angle, to_int_rz(n)};
  // 105615 = the largest argument whose n * (three-part pi/2) leaves a single-precision remainder.
  if (magnitude(a) > 105615.0f) {
    if (is_infinite(a)) return {float_nan(), 0};
    result = reduce_large_angle(a);
  }
  return result;
}

RADDLE_LIBDEVICE_HELPER float sin_kernel(float r) {
  const float s = mul(r, r);
  return fma(mul(r, s), horner(s, -0.16666667f, 0.008333332f, -0.00019840084f, 2.724962e-06f), r);
}
RADDLE_LIBDEVICE_HELPER float cos_kernel(float r) {
  const float s = mul(r, r);
  return fma(s, fma(s, horner(s, 0.041666664f, -0.0013888301f, 2.454769e-05f), -0.5f), 1.0f);
}
// The sine of an angle in the given quadrant.
RADDLE_LIBDEVICE_HELPER float sin_in_quadrant(float r, int quadrant) {
  const float value = (quadrant & 1) != 0 ? cos_kernel(r) : sin_kernel(r);
  return (quadrant & 2) != 0 ? -value : value;
}

// Zero keeps its sign: the kernels add it to a positive zero.
RADDLE_LIBDEVICE float __nv_sinf(float a) {
  const FloatQuadrant x = reduce_angle(a);
  return a == 0.0f ? a : sin_in_quadrant(x.angle, x.quadrant);
}
RADDLE_LIBDEVICE float __nv_cosf(float a) {
  const FloatQuadrant x = reduce_angle(a);
  return sin_in_quadrant(x.angle, x.quadrant + 1);
}
RADDLE_LIBDEVICE void __nv_sincosf(float a, float* sine, float* cosine) {
  const FloatQuadrant x = reduce_angle(a);
  const float s = sin_kernel(x.angle);
  const float c = cos_kernel(x.angle);
  const float sine_size = (x.quadrant & 1) != 0 ? c : s;
  const float cosine_size = (x.quadrant & 1) != 0 ? s : c;
  *sine = a == 0.0f ? a : ((x.quadrant & 2) != 0 ? -sine_size : sine_size);
  *cosine = ((x.quadrant + 1) & 2) != 0 ? -cosine_size : cosine_size;
}

RADDLE_LIBDEVICE_HELPER float tangent(float a) {
  const FloatQuadrant x = reduce_angle(a);
  const float s = mul(x.angle, x.angle);
  const float t = fma(mul(x.angle, s),
                      horner(s, 0.33333334f, 0.13333343f, 0.05396499f, 0.021910934f, 0.008607932f,
                             0.004428756f, -4.4202343e-06f, 0.0017914672f),
                      x.angle);
  const float result = (x.quadrant & 1) != 0 ? -1.0f / t : t;
  return a == 0.0f ? a : result;
}
RADDLE_LIBDEVICE float __nv_tanf(float a) {
  return RADDLE_LIBDEVICE_FAST_OR_CAREFUL(__nv_fast_tanf, tangent)(a);
}

// sin and cos of pi times a: the reduction is exact. Beyond 2^24 every float is an even integer.
RADDLE_LIBDEVICE_HELPER FloatQuadrant reduce_half_turns(float a) {
  const float x = magnitude(a) < 0x1p24f ? a : mul(a, 0.0f);
  const float n = nearest_integer(x + x);
  return {fma(n, -0.5f, x), to_int_rz(n)};
}
RADDLE_LIBDEVICE_HELPER float sinpi_kernel(float r) {
  const float s = mul(r, r);
  // pi r in two parts; the sum's leading term is what rounds.
  const float rest = mul(r, fma(s, horner(s, -5.1677127f, 2.5501635f, -0.5992288f, 0.081229575f),
                                Constants<float>::kPiLow));
  return fma(r, Constants<float>::kPiHigh, rest);
}
RADDLE_LIBDEVICE_HELPER float cospi_kernel(float r) {
  const float s = mul(r, r);
  // -pi^2/2 in two parts: with one, its rounding would be felt.
  const float rest = mul(
      s, fma(s, horner(s, 4.058712f, -1.3352627f, 0.23532127f, -0.025566814f), -0x1.37c8bcp-23f));
  return add(1.0f, fma(s, -0x1.3bd3ccp+2f, rest));
}

// A whole number's sine is zero with the number's own sign (IEEE 754 sinPi).
RADDLE_LIBDEVICE float __nv_sinpif(float a) {
  const FloatQuadrant x = reduce_half_turns(a);
  const float value = (x.quadrant & 1) != 0 ? cospi_kernel(x.angle) : sinpi_kernel(x.angle);
  const float result = (x.quadrant & 2) != 0 ? -value : value;
  return result == 0.0f ? with_sign(0.0f, a) : result;
}
RADDLE_LIBDEVICE float __nv_cospif(float a) {
  const FloatQuadrant x = reduce_half_turns(a);
  const float value = (x.quadrant & 1) != 0 ? sinpi_kernel(x.angle) : cospi_kernel(x.angle);
  const float result = ((x.quadrant + 1) & 2) != 0 ? -value : value;
  return result == 0.0f ? 0.0f : result;
}
RADDLE_LIBDEVICE void __nv_sincospif(float a, float* sine, float* cosine) {
  *sine = __nv_sinpif(a);
  *cosine = __nv_cospif(a);
}

}  // namespace raddle::libdevice
