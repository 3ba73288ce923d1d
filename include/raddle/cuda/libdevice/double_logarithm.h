// Double-precision logarithms: x = 2^e (1 + f) with 1 + f within a factor sqrt 2 of one, and
// log(1 + f) = 2 atanh(f / (2 + f)). log2 and log10 go through the pair logarithm, which rounds
// their last step only, so that powers of two and of ten come out exact.
#pragma once

#include "log_pair.h"
#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

struct DoubleLogReduction {
  double mantissa;
  double exponent;
};

// For positive finite arguments; denormals are scaled up first.
RADDLE_LIBDEVICE_HELPER DoubleLogReduction log_reduction(double a) {
  const bool denormal = a < 0x1p-1022;
  const unsigned long long bits = bits_of(denormal ? a * 0x1p54 : a);
  // The exponent field relative to 1/sqrt 2: multiples of 2^52.
  const unsigned long long exponent = (bits - 0x3fe6a09e667f3bcdull) & 0xfff0000000000000ull;
  const int e = (static_cast<int>(exponent >> 32) >> 20) - (denormal ? 54 : 0);
  return {double_from_bits(bits - exponent), to_double_rn(e)};
}

RADDLE_LIBDEVICE_HELPER bool has_plain_logarithm(double a) { return a > 0.0 && is_finite(a); }

RADDLE_LIBDEVICE_HELPER double log_special(double a) {
  if (a == 0.0) return -double_infinity();
  return a < 0.0 ? double_nan() : a + a;
}

// log(1 + f + low) + e ln 2. With s = f / (2 + f) and h = f^2/2, log(1 + f) = f - (h - s (h +
// R(s^2))), in which f is exact and everything else small.
RADDLE_LIBDEVICE_HELPER double log_kernel(double f, double low, double e) {
  const double s = f / add(f, 2.0);
  const double v = mul(s, s);
  const double rest = mul(
      v, horner(v, 0.6666666666666666, 0.4000000000000091, 0.2857142857078221, 0.22222222396552982,
                0.1818179512447675, 0.1538626767288246, 0.13268026140423497, 0.13094416666572584));
  const double half_square = mul(0.5, mul(f, f));
  const double correction = fma(s, add(half_square, rest), fma(e, Constants<double>::kLn2Low, low));
  return fma(e, Constants<double>::kLn2High, sub(f, sub(half_square, correction)));
}

RADDLE_LIBDEVICE double __nv_log(double a) {
  const DoubleLogReduction x = log_reduction(a);
  const double result = log_kernel(sub(x.mantissa, 1.0), 0.0, x.exponent);
  return has_plain_logarithm(a) ? result : log_special(a);
}

RADDLE_LIBDEVICE double __nv_log1p(double a) {
  const double one_plus = add(a, 1.0);
  const unsigned long long exponent =
      (bits_of(one_plus) - 0x3fe6a09e667f3bcdull) & 0xfff0000000000000ull;
  // 1 + f = (1 + a) 2^-e, where f comes from a itself and not from its rounded sum.
  const int e = static_cast<int>(exponent >> 32) >> 20;
  const double scale = e > 1022 ? double_from_bits(0x0010000000000000ull >> ((e - 1022) & 63))
                                : double_power_of_two(-e);
  const Pair<double> f = two_sum(mul(a, scale), sub(scale, 1.0));
  // What f lost weighs 1 / (1 + f), about 1 - f.
  const double result = log_kernel(f.high, fma(-f.high, f.low, f.low), to_double_rn(e));
  if (magnitude(a) < 0x1p-54) return a;
  return has_plain_logarithm(one_plus) ? result : log_special(one_plus);
}

RADDLE_LIBDEVICE_HELPER Pair<double> log_pair(double a) {
  const DoubleLogReduction x = log_reduction(a);
  return log_pair(x.mantissa, x.exponent);
}

RADDLE_LIBDEVICE double __nv_log2(double a) {
  const DoubleLogReduction x = log_reduction(a);
  const Pair<double> log2_e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  const Pair<double> mantissa_log = product(log_pair(x.mantissa, 0.0), log2_e);
  const Pair<double> result = two_sum(x.exponent, mantissa_log.high);
  return has_plain_logarithm(a) ? add(result.high, add(result.low, mantissa_log.low))
                                : log_special(a);
}

RADDLE_LIBDEVICE double __nv_log10(double a) {
  const Pair<double> log10_e = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  const Pair<double> result = product(log_pair(a), log10_e);
  return has_plain_logarithm(a) ? result.high : log_special(a);
}

}  // namespace raddle::libdevice
