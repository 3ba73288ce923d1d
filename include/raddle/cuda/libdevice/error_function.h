// The error function, its complement (plain and scaled) and the normal distribution for both
// precisions. All tails rest on one rational map: erfcx(x) (1 + 2x) is a smooth function of t = (x
// - k) / (x + k), which maps the whole half-line to [-1, 1] (Shepherd and Laframboise 1981).
#pragma once

#include "double_exponential.h"
#include "float_exponential.h"
#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

// erf(x) / x - 1 for s = x^2 <= 1.
RADDLE_LIBDEVICE_HELPER float erf_rest(float s) {
  return horner(s, 0.12837917f, -0.37612626f, 0.11283594f, -0.026854211f, 0.0051890872f,
                -0.00080168643f, 7.875875e-05f);
}
RADDLE_LIBDEVICE_HELPER double erf_rest(double s) {
  return horner(s, 0.12837916709551256, -0.37612638903183543, 0.11283791670945006,
                -0.02686617064323777, 0.0052239776071164225, -0.0008548325975389692,
                0.00012055294904839707, -1.4924736907419654e-05, 1.6447424703317288e-06,
                -1.620848380187118e-07, 1.3720064546775592e-08, -7.795898826998504e-10);
}

// e^(x^2) erfc(x) for x >= 0. The polynomial is that of (erfcx(x) (1 + 2x) - 1) / v with v = 1 + t:
// near zero, v keeps the digits that t has lost.
RADDLE_LIBDEVICE_HELPER float scaled_complement(float x) {
  const float v = mul(2.0f, x / add(x, 2.0f));
  const float t = sub(v, 1.0f);
  const float p = fma(v,
                      horner(t, 0.2769784f, -0.3697422f, 0.20371121f, -0.03966071f, -0.014552348f,
                             0.006527609f, 0.002166175f, -0.0009356718f, -0.00046887223f,
                             9.794383e-05f, 7.066446e-05f, -2.5893125e-06f),
                      1.0f);
  return is_infinite(x) ? 0.0f : mul(0.5f, p) / add(x, 0.5f);
}
RADDLE_LIBDEVICE_HELPER double scaled_complement(double x) {
  const double v = mul(2.0, x / add(x, 4.0));
  const double t = sub(v, 1.0);
  const double p =
      fma(v,
          horner(t, 0.23299511862555253, -0.372616235466115, 0.3879958875687291,
                 -0.3198988333140429, 0.2188597672780038, -0.12512693227935207, 0.05879656646232313,
                 -0.02162905093047994, 0.005431316917049317, -0.0003993468845006219,
                 -0.0003584266390692838, 0.00015916963494743566, -8.547204461388978e-06,
                 -1.5850913480690984e-05, 4.62740467529611e-06, 1.0798348983971674e-06,
                 -7.843585788682912e-07, -3.744348661303838e-08, 1.112640864522476e-07,
                 -4.429657184782068e-09, -1.3719231641797266e-08, 1.17440623793307e-09,
                 1.0792871618798156e-09, -1.1374633932987966e-10),
          1.0);
  // x + 1/2 as a pair: its rounding would be the largest error of all.
  const Pair<double> divisor = two_sum(x, 0.5);
  const double quotient = mul(0.5, p) / divisor.high;
  return is_infinite(x) ? 0.0 : fma(-quotient, divisor.low / divisor.high, quotient);
}

// The largest argument with a result above zero, and an exponent that keeps e^(-x^2) normal up to
// there.
template <typename Real>
struct ErrorFunctionRange;
template <>
struct ErrorFunctionRange<float> {
  static constexpr float kVanishes = 10.2f;
  static constexpr int kSpareExponent = 60;
  static constexpr float kUndo = 0x1p-60f;
};
template <>
struct ErrorFunctionRange<double> {
  static constexpr double kVanishes = 27.4;
  static constexpr int kSpareExponent = 200;
  static constexpr double kUndo = 0x1p-200;
};

// erfc(x.high + x.low) for x >= 0: e^(-x^2) from a square that is exact to twice the precision.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real complement(Pair<Real> x) {
  using Range = ErrorFunctionRange<Real>;
  const Pair<Real> square = two_product(x.high, x.high);
  const Pair<Real> exponent = {-square.high, -fma(x.high + x.high, x.low, square.low)};
  const Real tail = mul(exp_of_pair(exponent, Range::kSpareExponent), scaled_complement(x.high));
  return x.high > Range::kVanishes ? Real{0} : mul(tail, Range::kUndo);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real error_function(Real a) {
  const Real size = magnitude(a);
  const Real small = fma(size, erf_rest(mul(size, size)), size);
  const Real large = sub(Real{1}, complement(Pair<Real>{size, Real{0}}));
  return with_sign(size < Real{1} ? small : large, a);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real complementary_error_function(Real a) {
  const Real size = magnitude(a);
  // Near zero it is one minus little.
  if (size < Real{0.5}) return sub(Real{1}, fma(a, erf_rest(mul(a, a)), a));
  const Real result = complement(Pair<Real>{size, Real{0}});
  return has_sign_bit(a) ? sub(Real{2}, result) : result;
}

// For negative arguments 2 e^(x^2) - erfcx(-x), which overflows near -9.4 and -26.6.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real scaled_complementary_error_function(Real a) {
  const Real right = scaled_complement(magnitude(a));
  if (!has_sign_bit(a) || is_nan(a)) return right;
  // The square is cut off where the exponential overflows, before it becomes infinite itself.
  const Real size = smaller(magnitude(a), Real{100});
  return sub(exp_of_pair(two_product(size, size), 1), right);
}

// The normal distribution is erfc(-a / sqrt 2) / 2, where the quotient must be a pair: its error
// grows with the square of the argument.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real normal_distribution(Real a, Real beyond) {
  // Far out on either side the result is 0 or 1; this also keeps infinities out of the pairs.
  const Real x = magnitude(a) > beyond ? with_sign(beyond, a) : a;
  Pair<Real> quotient = two_product(x, -Constants<Real>::kSqrtHalfHigh);
  quotient.low = fma(x, -Constants<Real>::kSqrtHalfLow, quotient.low);
  const bool negative = has_sign_bit(quotient.high);
  if (negative) quotient = {-quotient.high, -quotient.low};
  const Real half = mul(Real{0.5}, complement(quotient));
  return negative ? sub(Real{1}, half) : half;
}

RADDLE_LIBDEVICE double __nv_erf(double a) { return error_function(a); }
RADDLE_LIBDEVICE float __nv_erff(float a) { return error_function(a); }
RADDLE_LIBDEVICE double __nv_erfc(double a) { return complementary_error_function(a); }
RADDLE_LIBDEVICE float __nv_erfcf(float a) { return complementary_error_function(a); }
RADDLE_LIBDEVICE double __nv_erfcx(double a) { return scaled_complementary_error_function(a); }
RADDLE_LIBDEVICE float __nv_erfcxf(float a) { return scaled_complementary_error_function(a); }
RADDLE_LIBDEVICE double __nv_normcdf(double a) { return normal_distribution(a, 40.0); }
RADDLE_LIBDEVICE float __nv_normcdff(float a) { return normal_distribution(a, 20.0f); }

}  // namespace raddle::libdevice
