// asin, acos, atan and atan2 for both precisions. asin is a polynomial up to 1/2 and comes from
// asin x = pi/2 - 2 asin sqrt((1 - x)/2) above; atan is a polynomial up to one and reflected above.
// The constants pi and pi/2 are pairs, so that subtracting from them costs one rounding only.
#pragma once

#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

// (asin x - x) / x for s = x^2 <= 1/4.
RADDLE_LIBDEVICE_HELPER float asin_rest(float s) {
  return mul(s, horner(s, 0.16666666f, 0.07500095f, 0.04459932f, 0.031101728f, 0.017143717f,
                       0.033700727f));
}
RADDLE_LIBDEVICE_HELPER double asin_rest(double s) {
  return mul(
      s, horner(s, 0.16666666666666669, 0.07499999999998425, 0.04464285714637338,
                0.030381944137085216, 0.0223721730020056, 0.0173523912659092, 0.013971235301124917,
                0.011478952690254089, 0.010324318288763578, 0.005450878187643824,
                0.017419357965078285, -0.0148814093931001, 0.02877844261277394));
}
// (atan x - x) / x for s = x^2 <= 1.
RADDLE_LIBDEVICE_HELPER float atan_rest(float s) {
  return mul(s, horner(s, -0.33333334f, 0.1999995f, -0.14284004f, 0.11088262f, -0.08931827f,
                       0.070319146f, -0.048960514f, 0.026305001f, -0.009144629f, 0.0014886919f));
}
RADDLE_LIBDEVICE_HELPER double atan_rest(double s) {
  return mul(s, horner(s, -0.3333333333333333, 0.19999999999999554, -0.14285714285648404,
                       0.11111111107234799, -0.09090908969557403, 0.07692305354678655,
                       -0.06666636435777691, 0.05882074956371286, -0.052612657357094084,
                       0.047520867735764714, -0.04308119655329895, 0.03872640214041231,
                       -0.033750132001593, 0.027567942297304703, -0.02023870698634692,
                       0.012756172907652435, -0.006575683344123301, 0.0026229778918920284,
                       -0.0007518472526925902, 0.00013687248531380763, -1.1832505417458077e-05));
}

// 2 asin sqrt((1 - a)/2) = acos a, for a in [1/2, 1], as a leading term and a small rest.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> acos_near_one(Real a) {
  const Real square = fma(a, Real{-0.5}, Real{0.5});
  const Real root = sqrt_rn(square);
  // What the root lost; nothing at all if it is zero.
  const Real lost = root == Real{0} ? root : fma(-root, root, square) / root;
  const Real twice = root + root;
  return {twice, fma(twice, asin_rest(square), lost)};
}

// base - x where base is a pair and x a leading term with a rest.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real difference(Real base_high, Real base_low, Pair<Real> x) {
  const Pair<Real> leading = two_sum_ordered(base_high, -x.high);
  return add(leading.high, add(leading.low, sub(base_low, x.low)));
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real arc_sine(Real a) {
  using Constant = Constants<Real>;
  const Real size = magnitude(a);
  Real result;
  if (size > Real{0.5}) {
    result = difference(Constant::kHalfPiHigh, Constant::kHalfPiLow, acos_near_one(size));
  } else {
    result = fma(size, asin_rest(mul(size, size)), size);
  }
  return with_sign(result, a);  // beyond one, the root of a negative number has made it NaN
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real arc_cosine(Real a) {
  using Constant = Constants<Real>;
  const Real size = magnitude(a);
  if (size > Real{0.5}) {
    const Pair<Real> x = acos_near_one(size);
    return a > Real{0} ? add(x.high, x.low) : difference(Constant::kPiHigh, Constant::kPiLow, x);
  }
  return difference(Constant::kHalfPiHigh, Constant::kHalfPiLow,
                    Pair<Real>{a, mul(a, asin_rest(mul(a, a)))});
}

// atan of the quotient small / large of two positive numbers, small <= large, then reflected in the
// diagonal if the two were swapped, and in the vertical axis if the abscissa was negative.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real arc_tangent(Real ratio, bool swapped, bool left) {
  using Constant = Constants<Real>;
  Real angle = fma(ratio, atan_rest(mul(ratio, ratio)), ratio);
  if (swapped) angle = sub(Constant::kHalfPiHigh, sub(angle, Constant::kHalfPiLow));
  if (left) angle = sub(Constant::kPiHigh, sub(angle, Constant::kPiLow));
  return angle;
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real arc_tangent_of_quotient(Real y, Real x) {
  const Real height = magnitude(y);
  const Real width = magnitude(x);
  const Real large = larger(height, width);
  const Real small = smaller(height, width);
  Real ratio = small / large;
  if (large == Real{0}) ratio = Real{0};    // not 0/0
  if (is_infinite(small)) ratio = Real{1};  // nor inf/inf
  const Real angle = arc_tangent(ratio, height > width, has_sign_bit(x));
  return is_nan(x) || is_nan(y) ? x + y : with_sign(angle, y);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real arc_tangent_of(Real a) {
  const Real size = magnitude(a);
  const bool swapped = size > Real{1};
  return with_sign(arc_tangent(swapped ? rcp_rn(size) : size, swapped, false), a);
}

RADDLE_LIBDEVICE double __nv_asin(double a) { return arc_sine(a); }
RADDLE_LIBDEVICE float __nv_asinf(float a) { return arc_sine(a); }
RADDLE_LIBDEVICE double __nv_acos(double a) { return arc_cosine(a); }
RADDLE_LIBDEVICE float __nv_acosf(float a) { return arc_cosine(a); }
RADDLE_LIBDEVICE double __nv_atan(double a) { return arc_tangent_of(a); }
RADDLE_LIBDEVICE float __nv_atanf(float a) { return arc_tangent_of(a); }
RADDLE_LIBDEVICE double __nv_atan2(double y, double x) { return arc_tangent_of_quotient(y, x); }
RADDLE_LIBDEVICE float __nv_atan2f(float y, float x) { return arc_tangent_of_quotient(y, x); }

}  // namespace raddle::libdevice
