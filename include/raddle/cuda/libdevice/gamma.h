// The gamma function and the logarithm of its magnitude for both precisions: polynomials around the
// zeros of lgamma at one and two and up to six, Stirling's series above, and the reflection formula
// below zero.
#pragma once

#include "double_exponential.h"
#include "double_logarithm.h"
#include "double_trigonometric.h"
#include "float_exponential.h"
#include "float_logarithm.h"
#include "float_trigonometric.h"
#include "hyperbolic.h"
#include "pair_arithmetic.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE_HELPER float sinpi_of(float a) { return __nv_sinpif(a); }
RADDLE_LIBDEVICE_HELPER double sinpi_of(double a) { return __nv_sinpi(a); }

// lgamma(1 + t) / t for t in [-0.26, 0.5], lgamma(2 + t) / t for t in [-0.5, 1], lgamma(3.5 + t)
// for |t| <= 0.5, lgamma(5 + t) for |t| <= 1, x (lgamma(x) - Stirling's leading terms) for y =
// 1/x^2 <= 1/36, and gamma(1.5 + t) for |t| <= 0.5.
RADDLE_LIBDEVICE_HELPER float lgamma_one(float t) {
  return horner(t, -0.5772157f, 0.822467f, -0.4006876f, 0.27058312f, -0.20726788f, 0.16927642f,
                -0.14613321f, 0.1331851f, -0.10644175f, 0.04589658f);
}
RADDLE_LIBDEVICE_HELPER double lgamma_one(double t) {
  return horner(t, -0.5772156649015329, 0.8224670334241131, -0.4006856343865287, 0.2705808084278326,
                -0.207385551029596, 0.16955717699016798, -0.14404989664554807, 0.1255096699207969,
                -0.11133427418064179, 0.10009945377841438, -0.09095371049830149,
                0.08335339329690308, -0.07693862185644529, 0.07145221072426122,
                -0.06661537990775693, 0.062175845519680924, -0.058716719224896165,
                0.057803555398424314, -0.05759157259667009, 0.04921511435665567,
                -0.02832949446766987, 0.007676735217792409);
}
RADDLE_LIBDEVICE_HELPER float lgamma_two(float t) {
  return horner(t, 0.42278433f, 0.32246703f, -0.06735251f, 0.020580756f, -0.0073820753f,
                0.00288788f, -0.0012100958f, 0.00053586316f, -0.00020758525f, 4.3576623e-05f);
}
RADDLE_LIBDEVICE_HELPER double lgamma_two(double t) {
  return horner(t, 0.42278433509846713, 0.32246703342411315, -0.06735230105319938,
                0.020580808427797363, -0.007385551028591605, 0.0028905103301131484,
                -0.0011927539134689571, 0.0005096695388773664, -0.00022315474612108152,
                9.945734627054003e-05, -4.492618057588352e-05, 2.0508257432949348e-05,
                -9.440803901004e-06, 4.371821887177551e-06, -2.0318170052559263e-06,
                9.557730442952402e-07, -4.6545837491558075e-07, 2.277028950586526e-07,
                -9.58942908411917e-08, 2.7468398510358837e-08, -3.733822460565909e-09);
}
RADDLE_LIBDEVICE_HELPER float lgamma_three(float t) {
  return horner(t, 1.2009736f, 1.1031566f, 0.1651789f, -0.01803247f, 0.0029290458f, -0.0005788646f,
                0.00012380218f);
}
RADDLE_LIBDEVICE_HELPER double lgamma_three(double t) {
  return horner(t, 1.2009736023470743, 1.103156640645243, 0.1651788780501119, -0.018034008606953103,
                0.0029294103677391945, -0.0005666333293164737, 0.00012090162842585432,
                -2.7452003221360215e-05, 6.503617169411034e-06, -1.5883871570987374e-06,
                3.962612528971406e-07, -1.0072801155298062e-07, 2.7613696671604927e-08,
                -7.201047906690498e-09);
}
RADDLE_LIBDEVICE_HELPER float lgamma_middle(float t) {
  return horner(t, 3.1780539f, 1.5061177f, 0.11066159f, -0.008131641f, 0.0008922609f,
                -0.00011709818f, 1.7923148e-05f, -2.7923045e-06f);
}
RADDLE_LIBDEVICE_HELPER double lgamma_middle(double t) {
  return horner(t, 3.1780538303479458, 1.5061176684318005, 0.11066147786855962,
                -0.008131622040852781, 0.0008928261746571833, -0.00011719326117663254,
                1.702987482105287e-05, -2.6421221817034985e-06, 4.289510481957697e-07,
                -7.198480508776928e-08, 1.2389274445770619e-08, -2.1738020906266403e-09,
                3.841148677722238e-10, -6.929159312549555e-11, 1.4629516642901142e-11,
                -2.695087864013366e-12);
}
RADDLE_LIBDEVICE_HELPER float stirling_rest(float y) {
  return horner(y, 0.083333336f, -0.0027775331f, 0.0007698803f);
}
RADDLE_LIBDEVICE_HELPER double stirling_rest(double y) {
  return horner(y, 0.08333333333333333, -0.0027777777777734623, 0.0007936507903643918,
                -0.0005952371351851134, 0.0008416117568838229, -0.0019064051561223957,
                0.0059015492970323855, -0.016450184918542523);
}
RADDLE_LIBDEVICE_HELPER float gamma_unit(float t) {
  return horner(t, 0.88622695f, 0.032338288f, 0.41481352f, -0.10728597f, 0.14463946f, -0.077718124f,
                0.05874045f, -0.036269315f, 0.024681618f, -0.023729136f, 0.015863866f);
}
RADDLE_LIBDEVICE_HELPER double gamma_unit(double t) {
  return horner(
      t, 0.886226925452758, 0.032338397448884865, 0.41481345368830125, -0.107294804564719,
      0.14464535904458606, -0.07752305230537157, 0.05861030382085454, -0.03800193529134834,
      0.02583760628007813, -0.01722245008885133, 0.011522520042662803, -0.007690098921057152,
      0.005131568539695762, -0.0034239612838414227, 0.0022833622890860634, -0.0015142364392563075,
      0.0010096053142759128, -0.0007101710237414608, 0.0004734656764602699, -0.0002116366966022488,
      0.000141093980175924, -0.00026048686591686527, 0.0001736585029100638);
}

// lgamma(x) for x > 0.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real log_gamma_positive(Real x) {
  using Constant = Constants<Real>;
  if (x >= Real{6}) {
    const Real reciprocal = rcp_rn(x);
    const Real rest = mul(reciprocal, stirling_rest(mul(reciprocal, reciprocal)));
    // (x - 1/2)(log x - 1) + (log(2 pi) - 1)/2 + ...: the form in which the large terms cancel
    // least.
    const Real constant = sub(Constant::kHalfLogTwoPiHigh, Real{0.5});
    return fma(sub(x, Real{0.5}), sub(log_of(x), Real{1}), add(constant, rest));
  }
  if (x >= Real{4}) return lgamma_middle(sub(x, Real{5}));
  if (x >= Real{3}) return lgamma_three(sub(x, Real{3.5}));
  if (x >= Real{1.5}) {
    const Real t = sub(x, Real{2});
    return mul(t, lgamma_two(t));
  }
  if (x >= Real{0.75}) {
    const Real t = sub(x, Real{1});
    return fma(t, lgamma_one(t), Real{0});  // not a negative zero at one
  }
  // lgamma(x) = lgamma(1 + x) - log x
  const Real next =
      x >= Real{0.5} ? mul(sub(x, Real{1}), lgamma_two(sub(x, Real{1}))) : mul(x, lgamma_one(x));
  return sub(next, log_of(x));
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real log_gamma(Real a, Real infinity, Real tiny) {
  if (is_nan(a)) return a;
  if (is_infinite(a)) return infinity;
  const Real size = magnitude(a);
  if (size < tiny) return -log_of(size);
  const Real positive = log_gamma_positive(size);
  if (a > Real{0}) return positive;
  // Gamma(-x) Gamma(x) = -pi / (x sin(pi x)), with poles at the whole numbers.
  const Real sine = magnitude(sinpi_of(size));
  if (sine == Real{0}) return infinity;
  const Pair<Real> divisor = two_product(size, sine);
  const Real quotient = Constants<Real>::kPiHigh / divisor.high;
  // What the quotient lost, relative to it: the logarithm grows by as much.
  const Real rounding = fma(-quotient, divisor.high, Constants<Real>::kPiHigh);
  const Real rest = sub(add(rounding, Constants<Real>::kPiLow), mul(quotient, divisor.low));
  return fma(rest, static_cast<Real>(0.3183098861837907), sub(log_of(quotient), positive));
}

// Stirling's approximation of lgamma(x) for x >= 6 as a pair.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> log_gamma_pair(Real x) {
  using Constant = Constants<Real>;
  const Real reciprocal = rcp_rn(x);
  const Real rest = mul(reciprocal, stirling_rest(mul(reciprocal, reciprocal)));
  const Pair<Real> power = product(log_pair(x), sub(x, Real{0.5}));
  Pair<Real> constant = two_sum_ordered(Constant::kHalfLogTwoPiHigh, rest);
  constant.low = add(constant.low, Constant::kHalfLogTwoPiLow);
  return sum(sum(power, Pair<Real>{-x, Real{0}}), constant);
}

// gamma(x) for 0 < x < 6: gamma(1 + fraction) times the factors up to x.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real gamma_by_recurrence(Real x) {
  const Real whole = floor_of(x);
  const Real fraction = sub(x, whole);
  Real result = gamma_unit(sub(fraction, Real{0.5}));
  if (whole == Real{0}) return result / x;
  for (Real factor = sub(x, Real{1}); factor >= Real{1}; factor = sub(factor, Real{1})) {
    result = mul(result, factor);
  }
  return result;
}

// Above the bound the result overflows; below minus the bound it vanishes. The spare exponent keeps
// the reciprocal of a huge gamma normal until the other factors have been multiplied.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real gamma_function(Real a, Real infinity, Real bound, int spare_exponent,
                                            Real undo) {
  const Real size = magnitude(a);
  if (is_nan(a)) return a;
  if (a == Real{0}) return with_sign(infinity, a);
  if (a > bound) return infinity;
  if (size < Real{0x1p-60}) return Real{1} / a;  // before pi size^2 vanishes below
  if (a < Real{0}) {
    const Real sine = sinpi_of(size);
    if (sine == Real{0} || is_infinite(a)) return sub(infinity, infinity);  // a pole
    if (size > bound) return with_sign(Real{0}, -sine);
    if (size < Real{6}) {
      return -Constants<Real>::kPiHigh / mul(sine, mul(size, gamma_by_recurrence(size)));
    }
    const Pair<Real> log_gamma = log_gamma_pair(size);
    const Real reciprocal =
        exp_of_pair(Pair<Real>{-log_gamma.high, -log_gamma.low}, spare_exponent);
    const Real factor = -Constants<Real>::kPiHigh / mul(size, sine);
    return mul(mul(factor, reciprocal), undo);
  }
  if (a < Real{6}) return gamma_by_recurrence(a);
  return exp_of_pair(log_gamma_pair(a), 0);
}

RADDLE_LIBDEVICE double __nv_lgamma(double a) { return log_gamma(a, double_infinity(), 0x1p-70); }
RADDLE_LIBDEVICE float __nv_lgammaf(float a) { return log_gamma(a, float_infinity(), 0x1p-40f); }
RADDLE_LIBDEVICE double __nv_tgamma(double a) {
  return gamma_function(a, double_infinity(), 200.0, 200, 0x1p-200);
}
RADDLE_LIBDEVICE float __nv_tgammaf(float a) {
  return gamma_function(a, float_infinity(), 50.0f, 60, 0x1p-60f);
}

}  // namespace raddle::libdevice
