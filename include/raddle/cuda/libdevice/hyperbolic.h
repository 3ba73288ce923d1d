// Hyperbolic functions and their inverses for both precisions: polynomials where the exponential's
// digits would cancel, exponentials elsewhere, and log1p for the inverses.
#pragma once

#include "double_exponential.h"
#include "double_logarithm.h"
#include "float_exponential.h"
#include "float_logarithm.h"
#include "primitives.h"

namespace raddle::libdevice {

// (sinh x - x) / x for s = x^2 <= 1, and (tanh x - x) / x for s <= 0.36.
RADDLE_LIBDEVICE_HELPER float sinh_rest(float s) {
  return mul(s, horner(s, 0.16666667f, 0.008333339f, 0.00019838102f, 2.8062802e-06f));
}
RADDLE_LIBDEVICE_HELPER double sinh_rest(double s) {
  return mul(s, horner(s, 0.16666666666666666, 0.008333333333333299, 0.00019841269841324198,
                       2.7557319191381816e-06, 2.5052117695907823e-08, 1.6057679623801635e-10,
                       7.746178593018927e-13));
}
RADDLE_LIBDEVICE_HELPER float tanh_rest(float s) {
  return mul(s, horner(s, -0.33333334f, 0.13333313f, -0.053961553f, 0.021788321f, -0.008410071f,
                       0.0023707657f));
}
RADDLE_LIBDEVICE_HELPER double tanh_rest(double s) {
  return mul(s, horner(s, -0.3333333333333333, 0.13333333333333205, -0.05396825396808531,
                       0.021869488527368107, -0.008863235292803289, 0.003592124250008692,
                       -0.0014557958855734624, 0.0005897680994688217, -0.0002379520138392343,
                       9.332432233844404e-05, -3.208661403790223e-05, 6.934046420972666e-06));
}
RADDLE_LIBDEVICE_HELPER float log1p_of(float a) { return __nv_log1pf(a); }
RADDLE_LIBDEVICE_HELPER double log1p_of(double a) { return __nv_log1p(a); }
RADDLE_LIBDEVICE_HELPER float log_of(float a) { return __nv_logf(a); }
RADDLE_LIBDEVICE_HELPER double log_of(double a) { return __nv_log(a); }

// Half of e^|a| is used, which does not overflow before the result does.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real hyperbolic_sine(Real a) {
  const Real size = magnitude(a);
  const Real half_exp = exp_with_scale(size, -1);
  const Real large = sub(half_exp, Real{0.25} / half_exp);
  const Real small = fma(size, sinh_rest(mul(size, size)), size);
  return with_sign(size < Real{1} ? small : large, a);
}

RADDLE_LIBDEVICE_HELPER float hyperbolic_cosine(float a) {
  const float half_exp = exp_with_scale(magnitude(a), -1);
  return add(half_exp, 0.25f / half_exp);
}
RADDLE_LIBDEVICE_HELPER double hyperbolic_cosine(double a) {
  const Pair<double> half_exp = exp_as_pair(magnitude(a), -1);
  return add(half_exp.high, add(half_exp.low, 0.25 / half_exp.high));
}

// tanh a = 1 - 2 / (e^2a + 1), where the cancellation is mild.
RADDLE_LIBDEVICE_HELPER float tanh_by_exp(float a) {
  return sub(1.0f, 2.0f / add(exp_with_scale(a + a, 0), 1.0f));
}
RADDLE_LIBDEVICE_HELPER double tanh_by_exp(double a) {
  if (a > 30.0) return 1.0;
  const Pair<double> exp = exp_as_pair(a + a, 0);
  const Pair<double> divisor = two_sum_ordered(exp.high, 1.0);
  const double quotient = 2.0 / divisor.high;
  // What the quotient lost to its own rounding and to its divisor's.
  const double rounding = fma(-quotient, divisor.high, 2.0);
  const double lost = fma(quotient, add(divisor.low, exp.low), -rounding) / divisor.high;
  const Pair<double> result = two_sum_ordered(1.0, -quotient);
  return add(result.high, add(result.low, lost));
}
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real hyperbolic_tangent(Real a) {
  const Real size = magnitude(a);
  if (size >= Real{0.55}) return with_sign(tanh_by_exp(size), a);
  return with_sign(fma(size, tanh_rest(mul(size, size)), size), a);
}

// asinh a = log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))); for large a, log(2 a).
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real inverse_hyperbolic_sine(Real a, Real large) {
  const Real size = magnitude(a);
  const Real square = mul(size, size);
  const Real root = sqrt_rn(add(square, Real{1}));
  Real result = log1p_of(add(size, square / add(root, Real{1})));
  if (size > large) result = add(log_of(size), Constants<Real>::kLn2High);
  return with_sign(result, a);
}

// acosh a = log1p(t + sqrt(2 t + t^2)) with t = a - 1, exact near one; for large a, log(2 a).
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real inverse_hyperbolic_cosine(Real a, Real large) {
  const Real t = sub(a, Real{1});
  const Real result = log1p_of(add(t, sqrt_rn(fma(t, t, t + t))));
  if (a > large) return add(log_of(a), Constants<Real>::kLn2High);
  return a < Real{1} ? sqrt_rn(Real{-1})
                     : result;  // far below one the rounding hides that it is NaN
}

// atanh a = log1p(2 a / (1 - a)) / 2
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real inverse_hyperbolic_tangent(Real a) {
  const Real size = magnitude(a);
  const Real result = log1p_of((size + size) / sub(Real{1}, size));
  return with_sign(mul(Real{0.5}, result), a);
}

RADDLE_LIBDEVICE double __nv_sinh(double a) { return hyperbolic_sine(a); }
RADDLE_LIBDEVICE float __nv_sinhf(float a) { return hyperbolic_sine(a); }
RADDLE_LIBDEVICE double __nv_cosh(double a) { return hyperbolic_cosine(a); }
RADDLE_LIBDEVICE float __nv_coshf(float a) { return hyperbolic_cosine(a); }
RADDLE_LIBDEVICE double __nv_tanh(double a) { return hyperbolic_tangent(a); }
RADDLE_LIBDEVICE float __nv_tanhf(float a) { return hyperbolic_tangent(a); }
RADDLE_LIBDEVICE double __nv_asinh(double a) { return inverse_hyperbolic_sine(a, 0x1p30); }
RADDLE_LIBDEVICE float __nv_asinhf(float a) { return inverse_hyperbolic_sine(a, 0x1p15f); }
RADDLE_LIBDEVICE double __nv_acosh(double a) { return inverse_hyperbolic_cosine(a, 0x1p30); }
RADDLE_LIBDEVICE float __nv_acoshf(float a) { return inverse_hyperbolic_cosine(a, 0x1p15f); }
RADDLE_LIBDEVICE double __nv_atanh(double a) { return inverse_hyperbolic_tangent(a); }
RADDLE_LIBDEVICE float __nv_atanhf(float a) { return inverse_hyperbolic_tangent(a); }

}  // namespace raddle::libdevice
