// Double-precision exponentials: the argument is reduced to n ln 2 + r with |r| <= ln(2)/2, e^r is
// a polynomial, and 2^n is multiplied in two factors so that denormal results are rounded once.
#pragma once

#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

// a * 2^n for -2044 <= n <= 2046, rounded once if a is normal and near one.
RADDLE_LIBDEVICE_HELPER double scaled(double a, int n) {
  const int half = n >> 1;
  return mul(mul(a, double_power_of_two(half)), double_power_of_two(n - half));
}

// e^(r + low) for |r| <= 0.35 and a low part that is negligible but for rounding.
RADDLE_LIBDEVICE_HELPER double exp_kernel(double r, double low) {
  const double q = horner(r, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325551,
                          0.0013888888888883332, 0.00019841269876840357, 2.480158732699005e-05,
                          2.755725286336732e-06, 2.755727183153613e-07, 2.5106262550879078e-08,
                          2.0915433598076003e-09);
  const Pair<double> leading = two_sum_ordered(1.0, r);
  return add(leading.high, add(leading.low, fma(mul(r, r), q, low)));
}

struct ExpReduction {
  Pair<double> remainder;
  double exponent;
};

// a = exponent * ln 2 + remainder. The first step is exact, so the remainder is good beyond its
// high part.
RADDLE_LIBDEVICE_HELPER ExpReduction exp_reduction(double a, double low) {
  const double n = nearest_integer(mul(a, 0x1.71547652b82fep+0));
  const double first = fma(n, -Constants<double>::kLn2High, a);
  const double second = fma(n, -Constants<double>::kLn2Low, low);
  const double r = add(first, second);
  return {{r, sub(second, sub(r, first))}, n};
}

// e^(a.high + a.low) * 2^extra_exponent, for an extra exponent of at most 200 either way.
RADDLE_LIBDEVICE_HELPER double exp_of_pair(Pair<double> a, int extra_exponent) {
  const ExpReduction x = exp_reduction(a.high, a.low);
  const double result = scaled(exp_kernel(x.remainder.high, x.remainder.low),
                               exponent_plus(x.exponent, extra_exponent));
  // Outside these bounds the shifts of scaled() may have wrapped around.
  if (a.high > 1000.0) return double_infinity();
  return a.high < -1000.0 ? 0.0 : result;
}

RADDLE_LIBDEVICE_HELPER double exp_with_scale(double a, int extra_exponent) {
  const ExpReduction x = exp_reduction(a, 0.0);
  const double result = scaled(exp_kernel(x.remainder.high, x.remainder.low),
                               exponent_plus(x.exponent, extra_exponent));
  if (a > 1000.0) return double_infinity();
  return a < -1000.0 ? 0.0 : result;
}

// The same, with what the result's rounding lost: for sums in which the exponential is one term.
RADDLE_LIBDEVICE_HELPER Pair<double> exp_as_pair(double a, int extra_exponent) {
  const ExpReduction x = exp_reduction(a, 0.0);
  const double r = x.remainder.high;
  const double square_term =
      fma(mul(r, r),
          horner(r, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325551,
                 0.0013888888888883332, 0.00019841269876840357, 2.480158732699005e-05,
                 2.755725286336732e-06, 2.755727183153613e-07, 2.5106262550879078e-08,
                 2.0915433598076003e-09),
          x.remainder.low);
  const Pair<double> small = two_sum_ordered(r, square_term);
  Pair<double> mantissa = two_sum_ordered(1.0, small.high);
  mantissa.low = add(mantissa.low, small.low);
  const int exponent = exponent_plus(x.exponent, extra_exponent);
  if (a > 1000.0) return {double_infinity(), 0.0};
  return {scaled(mantissa.high, exponent), scaled(mantissa.low, exponent)};
}

RADDLE_LIBDEVICE double __nv_exp(double a) { return exp_with_scale(a, 0); }

RADDLE_LIBDEVICE double __nv_exp2(double a) {
  const double n = nearest_integer(a);
  const double fraction = sub(a, n);
  const Pair<double> r = two_product(fraction, Constants<double>::kLn2High);
  const double low = fma(fraction, Constants<double>::kLn2Low, r.low);
  const double result = scaled(exp_kernel(r.high, low), to_int_rz(n));
  if (a > 1100.0) return double_infinity();
  return a < -1200.0 ? 0.0 : result;
}

RADDLE_LIBDEVICE double __nv_exp10(double a) {
  const double n = nearest_integer(mul(a, 0x1.a934f0979a371p+1));
  // a - n log10(2), then times ln(10); both constants in two parts.
  const double first = fma(n, -0x1.34413509f79ffp-2, a);
  const double fraction = fma(n, 0x1.9dc1da994fd21p-59, first);
  const double fraction_low = fma(n, 0x1.9dc1da994fd21p-59, sub(first, fraction));
  const Pair<double> r = two_product(fraction, 0x1.26bb1bbb55516p+1);
  const double low =
      fma(fraction_low, 0x1.26bb1bbb55516p+1, fma(fraction, -0x1.f48ad494ea3e9p-53, r.low));
  const double result = scaled(exp_kernel(r.high, low), to_int_rz(n));
  if (a > 400.0) return double_infinity();
  return a < -400.0 ? 0.0 : result;
}

}  // namespace raddle::libdevice
