// The Bessel functions of the first and second kind, of order zero, one and n, for both precisions.
// Orders zero and one come from the polynomials of bessel_polynomials.h; order n from the
// recurrences, upwards where they are stable and by Miller's algorithm downwards where they are
// not.
#pragma once

#include "bessel_polynomials.h"
#include "double_logarithm.h"
#include "double_trigonometric.h"
#include "float_logarithm.h"
#include "float_trigonometric.h"
#include "hyperbolic.h"
#include "primitives.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE_HELPER void sincos_of(float a, float* s, float* c) { __nv_sincosf(a, s, c); }
RADDLE_LIBDEVICE_HELPER void sincos_of(double a, double* s, double* c) { __nv_sincos(a, s, c); }
RADDLE_LIBDEVICE_HELPER float real_from_int(int a, float) { return to_float_rn(a); }
RADDLE_LIBDEVICE_HELPER double real_from_int(int a, double) { return to_double_rn(a); }

template <typename Real>
struct BesselConstants {
  static constexpr Real kTwoOverPi = static_cast<Real>(0x1.45f306dc9c883p-1L);
  static constexpr Real kInverseRootPi = static_cast<Real>(0x1.20dd750429b6dp-1L);
};

// The distance to a zero, to the last bit.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real distance(Real x, Real zero, Real zero_low) {
  return sub(sub(x, zero), zero_low);
}

// J = (P cos chi - Q sin chi) sqrt(2/(pi x)) and Y = (P sin chi + Q cos chi) sqrt(2/(pi x)), where
// the angle chi = x - pi/4 - order pi/2 is expanded into sin x and cos x.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real hankel(Real x, Real p, Real q, Real cos_chi, Real sin_chi) {
  const Real amplitude = BesselConstants<Real>::kInverseRootPi / sqrt_rn(x);
  const Real value = fma(p, cos_chi, mul(-q, sin_chi));
  return is_infinite(x) ? Real{0} : mul(amplitude, value);
}

template <typename Real>
struct HankelTerms {
  Real p, q, sum,
      difference;  // sin x + cos x and sin x - cos x, sqrt 2 times sine and cosine of chi
};
template <typename Real>
RADDLE_LIBDEVICE_HELPER HankelTerms<Real> hankel_terms_zero(Real x) {
  const Real reciprocal = rcp_rn(x);
  const Real y = mul(reciprocal, reciprocal);
  Real s, c;
  sincos_of(x, &s, &c);
  return {hankel_p0(y), mul(reciprocal, hankel_q0(y)), add(s, c), sub(s, c)};
}
template <typename Real>
RADDLE_LIBDEVICE_HELPER HankelTerms<Real> hankel_terms_one(Real x) {
  const Real reciprocal = rcp_rn(x);
  const Real y = mul(reciprocal, reciprocal);
  Real s, c;
  sincos_of(x, &s, &c);
  return {hankel_p1(y), mul(reciprocal, hankel_q1(y)), add(s, c), sub(s, c)};
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real bessel_j0(Real a) {
  using Zeros = BesselZeros<Real>;
  const Real x = magnitude(a);
  if (x < Real{1.3}) return fma(mul(x, x), j0_series(mul(x, x)), Real{1});
  if (x < Real{4}) {
    const Real d = distance(x, Zeros::kJ0First, Zeros::kJ0FirstLow);
    return mul(d, j0_first(d));
  }
  if (x < Real{8}) {
    const Real d = distance(x, Zeros::kJ0Second, Zeros::kJ0SecondLow);
    return mul(d, j0_second(d));
  }
  const HankelTerms<Real> terms = hankel_terms_zero(x);
  return hankel(x, terms.p, terms.q, terms.sum, terms.difference);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real bessel_j1(Real a) {
  using Zeros = BesselZeros<Real>;
  const Real x = magnitude(a);
  Real result;
  if (x < Real{2}) {
    result = mul(x, fma(mul(x, x), j1_series(mul(x, x)), Real{0.5}));
  } else if (x < Real{5.4}) {
    const Real d = distance(x, Zeros::kJ1First, Zeros::kJ1FirstLow);
    result = mul(d, j1_first(d));
  } else if (x < Real{8}) {
    const Real d = distance(x, Zeros::kJ1Second, Zeros::kJ1SecondLow);
    result = mul(d, j1_second(d));
  } else {
    const HankelTerms<Real> terms = hankel_terms_one(x);
    result = hankel(x, terms.p, terms.q, terms.difference, -terms.sum);
  }
  return has_sign_bit(a) ? -result : result;
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real bessel_y0(Real x) {
  using Zeros = BesselZeros<Real>;
  if (x == Real{0}) return Real{-1} / magnitude(x);
  if (x < Real{0}) return sqrt_rn(x);
  if (x < Real{2.2}) {
    // Both terms vanish at the first zero: log(x / z) near it is log1p of the relative distance.
    // Far from it the logarithms are subtracted: the quotient of a denormal has few digits.
    const Real d = distance(x, Zeros::kY0First, Zeros::kY0FirstLow);
    const Real logarithm =
        x < Real{0.45} ? sub(log_of(x), Zeros::kLogY0First) : log1p_of(d / Zeros::kY0First);
    const Real first = mul(mul(BesselConstants<Real>::kTwoOverPi, logarithm), bessel_j0(x));
    return fma(mul(d, add(x, Zeros::kY0First)), y0_first(mul(x, x)), first);
  }
  if (x < Real{5.5}) {
    const Real d = distance(x, Zeros::kY0Second, Zeros::kY0SecondLow);
    return mul(d, y0_second(d));
  }
  if (x < Real{8}) {
    const Real d = distance(x, Zeros::kY0Third, Zeros::kY0ThirdLow);
    return mul(d, y0_third(d));
  }
  const HankelTerms<Real> terms = hankel_terms_zero(x);
  return hankel(x, terms.p, -terms.q, terms.difference, terms.sum);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real bessel_y1(Real x) {
  using Zeros = BesselZeros<Real>;
  if (x == Real{0}) return Real{-1} / magnitude(x);
  if (x < Real{0}) return sqrt_rn(x);
  if (x < Real{1.4}) {
    const Real pole = BesselConstants<Real>::kTwoOverPi / x;
    const Real logarithm = mul(BesselConstants<Real>::kTwoOverPi, log_of(x));
    const Real regular = fma(logarithm, bessel_j1(x), mul(x, y1_first(mul(x, x))));
    return sub(regular, pole);
  }
  if (x < Real{3.8}) {
    const Real d = distance(x, Zeros::kY1First, Zeros::kY1FirstLow);
    return mul(d, y1_second(d));
  }
  if (x < Real{8}) {
    const Real d = distance(x, Zeros::kY1Second, Zeros::kY1SecondLow);
    return mul(d, y1_third(d));
  }
  const HankelTerms<Real> terms = hankel_terms_one(x);
  return hankel(x, terms.p, -terms.q, -terms.sum, terms.difference);
}

// J_{k+1} = (2k/x) J_k - J_{k-1}, from two neighbours up to order n >= 1. Y obeys the same
// recurrence.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real recurrence_upwards(int n, Real x, Real order_zero, Real order_one) {
  const Real two_over_x = Real{2} / x;
  Real previous = order_zero;
  Real current = order_one;
  for (int k = 1; k < n; ++k) {
    const Real factor = mul(real_from_int(k, x), two_over_x);
    const Real next = fma(factor, current, -previous);
    previous = current;
    current = next;
    if (is_infinite(current)) return current;  // Y near zero: the next step would be inf - inf
  }
  return current;
}

// Miller's algorithm for n > x: start well above n with an arbitrary small number, recur downwards,
// where the wrong solution dies out, and normalize by 1 = J0 + 2 (J2 + J4 + ...).
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real miller(int n, Real x, Real large) {
  const Real two_over_x = Real{2} / x;
  const int extra = to_int_rz(sqrt_rn(mul(Real{80}, real_from_int(n, x)))) + 20;
  const int start = (n + extra) & ~1;
  Real above = Real{0};
  Real current = Real{1};
  Real even_sum = Real{0};
  Real wanted = Real{0};
  for (int k = start; k > 0; --k) {
    const Real below = fma(mul(real_from_int(k, x), two_over_x), current, -above);
    above = current;
    current = below;
    if (magnitude(current) > large) {
      const Real shrink = rcp_rn(large);
      current = mul(current, shrink);
      above = mul(above, shrink);
      even_sum = mul(even_sum, shrink);
      wanted = mul(wanted, shrink);
    }
    if ((k & 1) != 0) even_sum = add(even_sum, current);  // current now has order k - 1
    if (k == n) wanted = above;
  }
  // The last term of the sum was order zero itself, which counts once.
  return wanted / sub(even_sum + even_sum, current);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real bessel_jn(int n, Real a, Real large) {
  if (n < 0) {
    n = -n;
    a = -a;  // J_-n(x) = J_n(-x)
  }
  if (is_nan(a)) return a;
  if (n == 0) return bessel_j0(a);
  if (n == 1) return bessel_j1(a);
  const Real x = magnitude(a);
  Real result;
  if (x == Real{0} || is_infinite(x)) {
    result = Real{0};
  } else if (x > real_from_int(n, x)) {
    result = recurrence_upwards(n, x, bessel_j0(x), bessel_j1(x));
  } else if (x < Real{0x1p-12}) {
    // The first term of the series, (x/2)^n / n!, and the second one's correction.
    const Real half = mul(x, Real{0.5});
    result = Real{1};
    for (int k = 1; k <= n; ++k) result = mul(result, half / real_from_int(k, x));
    result = fma(result, mul(half, half) / real_from_int(-n - 1, x), result);
  } else {
    result = miller(n, x, large);
  }
  return has_sign_bit(a) && (n & 1) != 0 ? -result : result;
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real bessel_yn(int n, Real x) {
  const bool negate = n < 0 && (n & 1) != 0;  // Y_-n = (-1)^n Y_n
  if (n < 0) n = -n;
  Real result;
  if (n == 0) {
    result = bessel_y0(x);
  } else if (n == 1) {
    result = bessel_y1(x);
  } else if (is_nan(x) || x < Real{0}) {
    result = sqrt_rn(x);
  } else if (x == Real{0}) {
    result = Real{-1} / magnitude(x);
  } else if (is_infinite(x)) {
    result = Real{0};
  } else {
    result = recurrence_upwards(n, x, bessel_y0(x), bessel_y1(x));
  }
  return negate ? -result : result;
}

RADDLE_LIBDEVICE double __nv_j0(double a) { return bessel_j0(a); }
RADDLE_LIBDEVICE float __nv_j0f(float a) { return bessel_j0(a); }
RADDLE_LIBDEVICE double __nv_j1(double a) { return bessel_j1(a); }
RADDLE_LIBDEVICE float __nv_j1f(float a) { return bessel_j1(a); }
RADDLE_LIBDEVICE double __nv_y0(double a) { return bessel_y0(a); }
RADDLE_LIBDEVICE float __nv_y0f(float a) { return bessel_y0(a); }
RADDLE_LIBDEVICE double __nv_y1(double a) { return bessel_y1(a); }
RADDLE_LIBDEVICE float __nv_y1f(float a) { return bessel_y1(a); }
RADDLE_LIBDEVICE double __nv_jn(int n, double a) { return bessel_jn(n, a, 0x1p500); }
RADDLE_LIBDEVICE float __nv_jnf(int n, float a) { return bessel_jn(n, a, 0x1p60f); }
RADDLE_LIBDEVICE double __nv_yn(int n, double a) { return bessel_yn(n, a); }
RADDLE_LIBDEVICE float __nv_ynf(int n, float a) { return bessel_yn(n, a); }

}  // namespace raddle::libdevice
