// Exact remainders: fmod, remainder and remquo. The significands are divided as integers, several
// quotient bits a step, so that the result is exact for every pair of exponents and no step rounds.
#pragma once

#include "floating_point_utilities.h"
#include "primitives.h"

namespace raddle::libdevice {

// What differs between float and double: the word, and how far a significand can be shifted in it.
template <typename Real>
struct Significand;
template <>
struct Significand<float> {
  using Word = unsigned int;
  static constexpr int kFractionBits = 23;
  static constexpr int kMinimumExponent = -126;
  static constexpr int kStep = 8;  // 24-bit significands in a 32-bit word
};
template <>
struct Significand<double> {
  using Word = unsigned long long;
  static constexpr int kFractionBits = 52;
  static constexpr int kMinimumExponent = -1022;
  static constexpr int kStep = 11;  // 53-bit significands in a 64-bit word
};

// A finite number as significand * 2^(exponent - kFractionBits).
template <typename Real>
struct Unpacked {
  typename Significand<Real>::Word significand;
  int exponent;
};

template <typename Real>
RADDLE_LIBDEVICE_HELPER Unpacked<Real> unpacked(Real a) {
  using Format = Significand<Real>;
  using Word = typename Format::Word;
  const Word bits = bits_of(magnitude(a));
  const int biased = static_cast<int>(bits >> Format::kFractionBits);
  const Word fraction = bits & ((Word{1} << Format::kFractionBits) - 1);
  if (biased == 0) return {fraction, Format::kMinimumExponent};
  return {fraction | Word{1} << Format::kFractionBits, biased + Format::kMinimumExponent - 1};
}

RADDLE_LIBDEVICE_HELPER float scaled_integer(unsigned int a, int exponent) {
  return __nv_ldexpf(to_float_rn(a), exponent);
}
RADDLE_LIBDEVICE_HELPER double scaled_integer(unsigned long long a, int exponent) {
  return __nv_ldexp(to_double_rn(a), exponent);
}

template <typename Real>
struct Division {
  Real remainder;         // of the magnitudes, truncating
  unsigned int quotient;  // its low bits
};

// |a| and |b| finite, b not zero.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Division<Real> divided(Real a, Real b) {
  using Format = Significand<Real>;
  using Word = typename Format::Word;
  if (magnitude(a) < magnitude(b)) return {magnitude(a), 0};
  const Unpacked<Real> dividend = unpacked(a);
  const Unpacked<Real> divisor = unpacked(b);
  int shift = dividend.exponent - divisor.exponent;
  Word rest = dividend.significand % divisor.significand;
  unsigned int quotient = static_cast<unsigned int>(dividend.significand / divisor.significand);
  while (shift > 0) {
    const int step = shift < Format::kStep ? shift : Format::kStep;
    const Word shifted = rest << step;
    const Word digit = shifted / divisor.significand;
    rest = shifted - digit * divisor.significand;
    quotient = (quotient << step) + static_cast<unsigned int>(digit);
    shift -= step;
  }
  return {scaled_integer(rest, divisor.exponent - Format::kFractionBits), quotient};
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real truncated_remainder(Real a, Real b) {
  if (is_nan(a) || is_nan(b) || is_infinite(a) || b == Real{0}) return (a * b) / (a * b);
  if (is_infinite(b)) return a;
  return with_sign(divided(a, b).remainder, a);
}

// The quotient rounds to nearest, ties to even; its sign and low bits go to *quotient.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real nearest_remainder(Real a, Real b, int* quotient) {
  *quotient = 0;
  if (is_nan(a) || is_nan(b) || is_infinite(a) || b == Real{0}) return (a * b) / (a * b);
  if (is_infinite(b)) return a;
  Division<Real> division = divided(a, b);
  const Real size = magnitude(b);
  // rest > size - rest asks for rest > size / 2 without losing a bit to the halving of a denormal.
  const Real rest_to_next = sub(size, division.remainder);
  if (division.remainder > rest_to_next ||
      (division.remainder == rest_to_next && (division.quotient & 1) != 0)) {
    division.remainder = sub(division.remainder, size);
    ++division.quotient;
  }
  const int low_bits = static_cast<int>(division.quotient & 0x7fffffffu);
  *quotient = has_sign_bit(a) != has_sign_bit(b) ? -low_bits : low_bits;
  if (division.remainder == Real{0}) return with_sign(division.remainder, a);
  return has_sign_bit(a) ? -division.remainder : division.remainder;
}

RADDLE_LIBDEVICE double __nv_fmod(double a, double b) { return truncated_remainder(a, b); }
RADDLE_LIBDEVICE float __nv_fmodf(float a, float b) { return truncated_remainder(a, b); }
RADDLE_LIBDEVICE double __nv_remquo(double a, double b, int* quotient) {
  return nearest_remainder(a, b, quotient);
}
RADDLE_LIBDEVICE float __nv_remquof(float a, float b, int* quotient) {
  return nearest_remainder(a, b, quotient);
}
RADDLE_LIBDEVICE double __nv_remainder(double a, double b) {
  int quotient;
  return nearest_remainder(a, b, &quotient);
}
RADDLE_LIBDEVICE float __nv_remainderf(float a, float b) {
  int quotient;
  return nearest_remainder(a, b, &quotient);
}

}  // namespace raddle::libdevice
