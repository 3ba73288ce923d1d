// e^x - 1 for both precisions, by a polynomial: the exponentials of the other headers lose the
// digits that a result near zero is made of. The parts are summed as pairs to stay within one unit
// in the last place.
#pragma once

#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

// (e^r - 1 - r) / r^2 for |r| <= 1/2.
RADDLE_LIBDEVICE_HELPER float expm1_polynomial(float r) {
  return horner(r, 0.5f, 0.16666667f, 0.041666668f, 0.008333182f, 0.0013888738f, 0.00019962176f,
                2.4922436e-05f);
}
RADDLE_LIBDEVICE_HELPER double expm1_polynomial(double r) {
  return horner(r, 0.5, 0.16666666666666666, 0.04166666666666706, 0.00833333333333336,
                0.001388888888870455, 0.00019841269841146993, 2.4801587616145414e-05,
                2.755731943362024e-06, 2.7557076636642725e-07, 2.505194670972162e-08,
                2.0962955815976076e-09, 1.6116496514371548e-10);
}
RADDLE_LIBDEVICE_HELPER float power_of_two(int n, float) { return float_power_of_two(n); }
RADDLE_LIBDEVICE_HELPER double power_of_two(int n, double) { return double_power_of_two(n); }

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real exp_minus_one(Real a) {
  using Constant = Constants<Real>;
  // Within 1/2 nothing is reduced: 2^n - 1 would cancel against the polynomial there.
  const Real log2_e = static_cast<Real>(0x1.71547652b82fep+0);
  const Real n = magnitude(a) < Real{0.5} ? Real{0} : nearest_integer(mul(a, log2_e));
  const Real first = fma(n, -Constant::kLn2High, a);
  const Real r = fma(n, -Constant::kLn2Low, first);
  const Real r_low = fma(n, -Constant::kLn2Low, sub(first, r));
  const Real small = fma(mul(r, r), expm1_polynomial(r), fma(r, r_low, r_low));
  if (n == Real{0}) return with_sign(add(r, small), a);
  // (e^r - 1) 2^n + 2^n - 1, all of it halved because 2^n may overflow.
  const Pair<Real> p = two_sum_ordered(r, small);
  const Real half = power_of_two(exponent_plus(n, -1), a);
  const Real constant = sub(half, Real{0.5});
  const Real constant_low = sub(sub(half, constant), Real{0.5});
  const Pair<Real> total = two_sum(constant, mul(p.high, half));
  const Real result = add(total.high, add(total.low, fma(p.low, half, constant_low)));
  return result + result;
}

RADDLE_LIBDEVICE double __nv_expm1(double a) {
  if (a > 710.0) return double_infinity();
  return a < -50.0 ? -1.0 : exp_minus_one(a);
}
RADDLE_LIBDEVICE float __nv_expm1f(float a) {
  if (a > 89.0f) return float_infinity();
  return a < -25.0f ? -1.0f : exp_minus_one(a);
}

}  // namespace raddle::libdevice
