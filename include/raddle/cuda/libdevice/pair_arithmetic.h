// Numbers as unevaluated sums of two floats or doubles (Dekker 1971; Knuth, TAOCP 4.2.2), which
// carry the intermediate results of pow, tgamma, hypot and others with about twice the precision.
// The error-free steps use add(), sub(), mul() and fma(), which the compiler neither fuses nor
// reassociates.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

template <typename Real>
struct Pair {
  Real high;
  Real low;
};

// a + b exactly.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> two_sum(Real a, Real b) {
  const Real sum = add(a, b);
  const Real part_of_b = sub(sum, a);
  const Real part_of_a = sub(sum, part_of_b);
  return {sum, add(sub(a, part_of_a), sub(b, part_of_b))};
}

// a + b exactly, if |a| >= |b| or a is zero.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> two_sum_ordered(Real a, Real b) {
  const Real sum = add(a, b);
  return {sum, sub(b, sub(sum, a))};
}

// a * b exactly, unless it underflows.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> two_product(Real a, Real b) {
  const Real product = mul(a, b);
  return {product, fma(a, b, -product)};
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> product(Pair<Real> a, Pair<Real> b) {
  Pair<Real> result = two_product(a.high, b.high);
  result.low = fma(a.high, b.low, fma(a.low, b.high, result.low));
  return two_sum_ordered(result.high, result.low);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> product(Pair<Real> a, Real b) {
  Pair<Real> result = two_product(a.high, b);
  result.low = fma(a.low, b, result.low);
  return two_sum_ordered(result.high, result.low);
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Pair<Real> sum(Pair<Real> a, Pair<Real> b) {
  const Pair<Real> result = two_sum(a.high, b.high);
  return two_sum_ordered(result.high, add(result.low, add(a.low, b.low)));
}

// Constants that need more bits than one number has.
template <typename Real>
struct Constants;
template <>
struct Constants<float> {
  static constexpr float kLn2High = 0x1.62e430p-1f, kLn2Low = -0x1.05c610p-29f;
  static constexpr float kPiHigh = 0x1.921fb6p+1f, kPiLow = -0x1.777a5cp-24f;
  static constexpr float kHalfPiHigh = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;
  static constexpr float kTwoThirdsHigh = 0x1.555556p-1f, kTwoThirdsLow = -0x1.555556p-26f;
  static constexpr float kHalfLogTwoPiHigh = 0x1.d67f1cp-1f, kHalfLogTwoPiLow = 0x1.0c97d6p-26f;
  static constexpr float kSqrtHalfHigh = 0x1.6a09e6p-1f, kSqrtHalfLow = 0x1.9fcef4p-27f;
};
template <>
struct Constants<double> {
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kPiHigh = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
  static constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
  static constexpr double kTwoThirdsHigh = 0x1.5555555555555p-1;
  static constexpr double kTwoThirdsLow = 0x1.5555555555555p-55;
  static constexpr double kHalfLogTwoPiHigh = 0x1.d67f1c864beb5p-1;
  static constexpr double kHalfLogTwoPiLow = -0x1.65b5a1b7ff5dfp-55;
  static constexpr double kSqrtHalfHigh = 0x1.6a09e667f3bcdp-1;
  static constexpr double kSqrtHalfLow = -0x1.bdd3413b26456p-55;
};

}  // namespace raddle::libdevice
