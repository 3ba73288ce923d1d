// Double-precision sine, cosine and tangent. The reduced angle is a pair, because near the zeros of
// the functions the digits that one double drops are the digits of the result; Cody and Waite's
// constants reach 2^30, Payne and Hanek's product the rest.
#pragma once

#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

struct DoubleQuadrant {
  Pair<double> angle;  // in [-pi/4, pi/4]
  int quadrant;        // modulo 4, the multiple of pi/2 that was taken away
};

// Payne and Hanek (1983), as reduce_large_angle(float) with words of 64 bits: a 192-bit window of
// 2/pi.
RADDLE_LIBDEVICE_HELPER DoubleQuadrant reduce_large_angle(double a) {
  static const unsigned long long kTwoOverPi[20] = {
      0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
      0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
      0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
      0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
      0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};
  const unsigned long long bits = bits_of(a);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const unsigned long long mantissa = (bits << 11) | 0x8000000000000000ull;
  const int first_bit = exponent - 63 - 2 + 64;
  const int word = first_bit >> 6;
  const int shift = first_bit & 63;
  const auto window = [&](int index) {
    const unsigned long long left = kTwoOverPi[word + index] << shift;
    return shift == 0 ? left : left | kTwoOverPi[word + index + 1] >> (64 - shift);
  };
  const unsigned long long w0 = window(0);
  const unsigned long long w1 = window(1);
  const unsigned long long low_carry = mul_high(mantissa, window(2));
  const unsigned long long turn_low = mantissa * w1 + low_carry;
  unsigned long long turn = mantissa * w0 + mul_high(mantissa, w1) + (turn_low < low_carry ? 1 : 0);
  int quadrant = static_cast<int>((turn + (1ull << 61)) >> 62);
  // The fraction of a quarter turn as a signed 128-bit number, then its magnitude, then normalized.
  turn = turn << 2 | turn_low >> 62;
  unsigned long long rest = turn_low << 2;
  const bool negative = (turn >> 63) != 0;
  if (negative) {
    rest = 0 - rest;
    turn = ~turn + (rest == 0 ? 1 : 0);
  }
  const int zeros = leading_zeros(turn);
  if (zeros != 0) {
    turn = zeros == 64 ? rest : turn << zeros | rest >> (64 - zeros);
    rest = zeros == 64 ? 0 : rest << zeros;
  }
  // 2^-64 of a quarter turn as a pair: the 53 upper bits, then all that is below them.
  const double scale = double_power_of_two(-64 - zeros);
  const double high = mul(to_double_rn(turn >> 11 << 11), scale);
  const double low = mul(fma(to_double_rn(rest), 0x1p-64, to_double_rn(turn & 0x7ff)), scale);
  const Pair<double> half_pi = {Constants<double>::kHalfPiHigh, Constants<double>::kHalfPiLow};
  Pair<double> angle = product(Pair<double>{high, low}, half_pi);
  if (negative != has_sign_bit(a)) angle = {-angle.high, -angle.low};
  return {angle, has_sign_bit(a) ? -quadrant : quadrant};
}

RADDLE_LIBDEVICE_HELPER DoubleQuadrant reduce_angle(double a) {
  if (magnitude(a) >= 0x1p30) {
    if (is_infinite(a)) return {{double_nan(), 0.0}, 0};
    return reduce_large_angle(a);
  }
  const double n = nearest_integer(mul(a, 0x1.45f306dc9c883p-1));
  // The first step is exact; the second part of pi/2 is subtracted as a pair, the third fits in its
  // low part.
  const double first = fma(n, -0x1.921fb54442d18p+0, a);
  const Pair<double> second = two_product(n, 0x1.1a62633145c07p-54);
  Pair<double> angle = two_sum(first, -second.high);
  angle.low = add(angle.low, fma(n, 0x1.f1976b7ed8fbcp-110, -second.low));
  return {two_sum_ordered(angle.high, angle.low), to_int_rz(n)};
}

// sin(r + low) = sin r + low cos r, where cos r = 1 - r^2/2 suffices.
RADDLE_LIBDEVICE_HELPER double sin_kernel(Pair<double> r) {
  const double s = mul(r.high, r.high);
  const double p = horner(s, -0.16666666666666666, 0.008333333333333331, -0.0001984126984126504,
                          2.755731921932058e-06, -2.50521062259944e-08, 1.6058530596645953e-10,
                          -7.586636882825062e-13);
  const double low = fma(mul(-0.5, s), r.low, r.low);
  return add(r.high, fma(mul(r.high, s), p, low));
}
// cos(r + low) = 1 - s/2 + (s^2 p(s) - r low), with the rounding error of 1 - s/2 kept.
RADDLE_LIBDEVICE_HELPER double cos_kernel(Pair<double> r) {
  const double s = mul(r.high, r.high);
  const double p = horner(s, 0.041666666666666664, -0.0013888888888887389, 2.48015872987544e-05,
                          -2.755731726587808e-07, 2.087614504941318e-09, -1.1382544645349108e-11);
  const double half = mul(0.5, s);
  const double leading = sub(1.0, half);
  const double lost = sub(sub(1.0, leading), half);
  return add(leading, add(lost, fma(mul(s, s), p, -mul(r.high, r.low))));
}
RADDLE_LIBDEVICE_HELPER double sin_in_quadrant(Pair<double> r, int quadrant) {
  const double value = (quadrant & 1) != 0 ? cos_kernel(r) : sin_kernel(r);
  return (quadrant & 2) != 0 ? -value : value;
}

RADDLE_LIBDEVICE double __nv_sin(double a) {
  const DoubleQuadrant x = reduce_angle(a);
  return a == 0.0 ? a : sin_in_quadrant(x.angle, x.quadrant);
}
RADDLE_LIBDEVICE double __nv_cos(double a) {
  const DoubleQuadrant x = reduce_angle(a);
  return sin_in_quadrant(x.angle, x.quadrant + 1);
}
RADDLE_LIBDEVICE void __nv_sincos(double a, double* sine, double* cosine) {
  const DoubleQuadrant x = reduce_angle(a);
  const double s = sin_kernel(x.angle);
  const double c = cos_kernel(x.angle);
  const double sine_size = (x.quadrant & 1) != 0 ? c : s;
  const double cosine_size = (x.quadrant & 1) != 0 ? s : c;
  *sine = a == 0.0 ? a : ((x.quadrant & 2) != 0 ? -sine_size : sine_size);
  *cosine = ((x.quadrant + 1) & 2) != 0 ? -cosine_size : cosine_size;
}

RADDLE_LIBDEVICE double __nv_tan(double a) {
  const DoubleQuadrant x = reduce_angle(a);
  const double r = x.angle.high;
  const double s = mul(r, r);
  const double cubic =
      mul(mul(r, s), horner(s, 0.3333333333333333, 0.13333333333332995, 0.05396825396866166,
                            0.02186948851679944, 0.008863236009826123, 0.003592120893315054,
                            0.0014559035141199625, 0.0005895709473878337, 0.00024124581146820422,
                            8.992810538405453e-05, 5.570513225222072e-05, -1.1178698604523757e-05,
                            3.666783983851887e-05, -1.8397236604963307e-05, 8.503058194413416e-06));
  // tan(r + low) = tan r + low (1 + tan^2 r)
  Pair<double> t = two_sum_ordered(r, cubic);
  t.low = add(t.low, fma(mul(t.high, t.high), x.angle.low, x.angle.low));
  // The cotangent by one step of refinement from the rounded reciprocal.
  const double w = -1.0 / t.high;
  const double cotangent = fma(w, fma(w, t.low, fma(w, t.high, 1.0)), w);
  const double result = (x.quadrant & 1) != 0 ? cotangent : add(t.high, t.low);
  return a == 0.0 ? a : result;
}

struct DoubleHalfTurns {
  double angle;
  int quadrant;
};
// The reduction is exact. Beyond 2^53 every double is an even integer.
RADDLE_LIBDEVICE_HELPER DoubleHalfTurns reduce_half_turns(double a) {
  const double x = magnitude(a) < 0x1p53 ? a : mul(a, 0.0);
  const double n = nearest_integer(x + x);
  return {fma(n, -0.5, x), static_cast<int>(to_longlong_rz(n))};
}
RADDLE_LIBDEVICE_HELPER double sinpi_kernel(double r) {
  const double s = mul(r, r);
  const double rest = mul(
      r,
      fma(s,
          horner(s, -5.16771278004997, 2.550164039877345, -0.5992645293206478, 0.08214588659727676,
                 -0.0073704303122948235, 0.0004662879326147475, -2.174206734247524e-05),
          Constants<double>::kPiLow));
  return fma(r, Constants<double>::kPiHigh, rest);
}
RADDLE_LIBDEVICE_HELPER double cospi_kernel(double r) {
  const double s = mul(r, r);
  // -pi^2/2 in two parts: with one, its rounding would be felt.
  const double rest =
      mul(s, fma(s,
                 horner(s, 4.0587121264167685, -1.3352627688545895, 0.235330630358868,
                        -0.02580689138759507, 0.0019295741987885265, -0.00010463550775039593,
                        4.272813871769851e-06),
                 -0x1.692b71366cc04p-52));
  return add(1.0, fma(s, -0x1.3bd3cc9be45dep+2, rest));
}

RADDLE_LIBDEVICE double __nv_sinpi(double a) {
  const DoubleHalfTurns x = reduce_half_turns(a);
  const double value = (x.quadrant & 1) != 0 ? cospi_kernel(x.angle) : sinpi_kernel(x.angle);
  const double result = (x.quadrant & 2) != 0 ? -value : value;
  return result == 0.0 ? with_sign(0.0, a) : result;
}
RADDLE_LIBDEVICE double __nv_cospi(double a) {
  const DoubleHalfTurns x = reduce_half_turns(a);
  const double value = (x.quadrant & 1) != 0 ? sinpi_kernel(x.angle) : cospi_kernel(x.angle);
  const double result = ((x.quadrant + 1) & 2) != 0 ? -value : value;
  return result == 0.0 ? 0.0 : result;
}
RADDLE_LIBDEVICE void __nv_sincospi(double a, double* sine, double* cosine) {
  *sine = __nv_sinpi(a);
  *cosine = __nv_cospi(a);
}

}  // namespace raddle::libdevice
