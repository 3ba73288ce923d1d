// The natural logarithm as a pair of numbers, good to some ten bits more than the type itself has.
// It is what pow, tgamma, log2 and log10 need: an error in y log x grows by the size of the
// exponent.
#pragma once

#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

// (2 atanh(u) / u - 2 - 2/3 v) / v^2 where v = u^2.
RADDLE_LIBDEVICE_HELPER float atanh_tail(float v) {
  return horner(v, 0.40000015f, 0.28562135f, 0.23052852f);
}
RADDLE_LIBDEVICE_HELPER double atanh_tail(double v) {
  return horner(v, 0.4000000000000003, 0.28571428571335483, 0.2222222227246897, 0.18181808025080376,
                0.15385590959578535, 0.13285421679013285, 0.12920221324313697);
}

// log(m) + e ln 2 for m in about [1/sqrt 2, sqrt 2] as a pair, by log m = 2 atanh((m - 1) / (m +
// 1)). The relative error is some 2^-12 units of the low part's neighbour: enough for y log x to be
// rounded well.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> log_pair(Real m, Real e) {
  using Constant = Constants<Real>;
  const Real f = sub(m, Real{1});
  const Pair<Real> g = two_sum(m, Real{1});
  const Real reciprocal = rcp_rn(g.high);
  Pair<Real> u;
  u.high = mul(f, reciprocal);
  u.low = mul(fma(-u.high, g.low, fma(-u.high, g.high, f)), reciprocal);
  Pair<Real> v;
  v.high = mul(u.high, u.high);
  v.low = fma(u.high + u.high, u.low, fma(u.high, u.high, -v.high));
  // 2/3 + v p(v)
  const Pair<Real> tail = two_product(v.high, atanh_tail(v.high));
  Pair<Real> q = two_sum_ordered(Constant::kTwoThirdsHigh, tail.high);
  q.low = add(q.low, add(tail.low, Constant::kTwoThirdsLow));
  const Pair<Real> cubic = product(product(u, v), q);
  Pair<Real> mantissa_log = two_sum_ordered(u.high + u.high, cubic.high);
  mantissa_log.low = add(mantissa_log.low, add(u.low + u.low, cubic.low));
  Pair<Real> exponent_log = two_product(e, Constant::kLn2High);
  exponent_log.low = fma(e, Constant::kLn2Low, exponent_log.low);
  return sum(exponent_log, mantissa_log);
}

}  // namespace raddle::libdevice
