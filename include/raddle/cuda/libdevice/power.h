// x^y as e^(y log x), with the logarithm and the product carried as pairs so that the result is
// good to about one unit in the last place; powi by repeated squaring. The special cases are those
// of C's pow.
#pragma once

#include "double_exponential.h"
#include "double_logarithm.h"
#include "fast_intrinsics.h"
#include "float_exponential.h"
#include "float_logarithm.h"
#include "pair_arithmetic.h"

namespace raddle::libdevice {

// |a|^b for finite a other than zero and finite b. Exponents beyond the range are cut off first:
// their product would overflow to an infinity whose low part is NaN.
RADDLE_LIBDEVICE_HELPER float power_of_magnitude(float a, float b) {
  const Pair<float> logarithm = log_pair(magnitude(a));
  const float estimate = mul(logarithm.high, b);
  if (magnitude(estimate) > 200.0f) return estimate > 0.0f ? float_infinity() : 0.0f;
  return exp_of_pair(product(logarithm, b), 0);
}
RADDLE_LIBDEVICE_HELPER double power_of_magnitude(double a, double b) {
  const Pair<double> logarithm = log_pair(magnitude(a));
  const double estimate = mul(logarithm.high, b);
  if (magnitude(estimate) > 1000.0) return estimate > 0.0 ? double_infinity() : 0.0;
  return exp_of_pair(product(logarithm, b), 0);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real power(Real a, Real b, Real infinity, Real nan) {
  if (a == Real{1} || b == Real{0}) return Real{1};
  if (is_nan(a) || is_nan(b)) return a + b;
  const Real half = mul(b, Real{0.5});
  const bool is_integer = integer_part(b) == b;
  const bool is_odd = is_integer && integer_part(half) != half;
  if (is_infinite(b)) {
    if (magnitude(a) == Real{1}) return Real{1};
    return (magnitude(a) > Real{1}) == (b > Real{0}) ? infinity : Real{0};
  }
  Real result;
  if (a == Real{0} || is_infinite(a)) {
    result = (a == Real{0}) == (b < Real{0}) ? infinity : Real{0};
  } else {
    if (a < Real{0} && !is_integer) return nan;
    result = power_of_magnitude(a, b);
  }
  return is_odd ? with_sign(result, a) : result;
}

RADDLE_LIBDEVICE double __nv_pow(double a, double b) {
  return power(a, b, double_infinity(), double_nan());
}
RADDLE_LIBDEVICE float __nv_powf(float a, float b) {
  return RADDLE_LIBDEVICE_FAST_OR_CAREFUL(__nv_fast_powf(a, b),
                                          power(a, b, float_infinity(), float_nan()));
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real power_by_squaring(Real a, int exponent) {
  unsigned int rest =
      exponent < 0 ? 0u - static_cast<unsigned int>(exponent) : static_cast<unsigned int>(exponent);
  Real result = Real{1};
  while (rest != 0) {
    if ((rest & 1) != 0) result *= a;
    a *= a;
    rest >>= 1;
  }
  return exponent < 0 ? Real{1} / result : result;
}

RADDLE_LIBDEVICE double __nv_powi(double a, int exponent) { return power_by_squaring(a, exponent); }
RADDLE_LIBDEVICE float __nv_powif(float a, int exponent) { return power_by_squaring(a, exponent); }

}  // namespace raddle::libdevice
