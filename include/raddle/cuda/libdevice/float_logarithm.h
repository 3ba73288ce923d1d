// Single-precision logarithms: x = 2^e (1 + f) with f in [-1/3, 1/3), a polynomial for log(1 + f),
// and the exponent's share added last.
#pragma once

#include "fast_intrinsics.h"
#include "log_pair.h"
#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

constexpr unsigned int kTwoThirdsBits = 0x3f2aaaabu;
constexpr unsigned int kSqrtHalfBits = 0x3f3504f3u;

struct FloatLogReduction {
  float fraction;  // f
  float exponent;  // e
};

// For positive finite arguments; denormals are scaled up first. 1 + f lies between a lower end,
// given by its bits, and twice that.
RADDLE_LIBDEVICE_HELPER FloatLogReduction log_reduction(float a, unsigned int lower_end) {
  const bool denormal = a < 0x1p-126f;
  const unsigned int bits = bits_of(denormal ? a * 0x1p23f : a);
  // Multiples of 2^23, the unit of the exponent field.
  const unsigned int exponent = (bits - lower_end) & 0xff800000u;
  const float e = fma(to_float_rn(static_cast<int>(exponent)), 0x1p-23f, denormal ? -23.0f : 0.0f);
  return {float_from_bits(bits - exponent) - 1.0f, e};
}

// The logarithm, where `result` is that of a positive finite argument: zero has minus infinity, and
// infinity, NaN and negative numbers, whose bits lie above all others, have what a * inf + inf is.
RADDLE_LIBDEVICE_HELPER float with_special_logarithms(float a, float result) {
  if (bits_of(a) >= 0x7f800000u) result = fma(a, float_infinity(), float_infinity());
  return a == 0.0f ? -float_infinity() : result;
}

// log(1 + f) - f for f in [-1/3, 1/3].
RADDLE_LIBDEVICE_HELPER float log1p_rest(float f) {
  const float q = horner(f, 0.33333334f, -0.24999945f, 0.1999989f, -0.16673316f, 0.14293748f,
                         -0.12288722f, 0.10893078f, -0.124222f, 0.11420925f);
  const float f_squared = mul(f, f);
  return mul(f_squared, fma(q, f, -0.5f));
}

RADDLE_LIBDEVICE float __nv_logf(float a) {
  const FloatLogReduction x = log_reduction(a, kTwoThirdsBits);
  const float mantissa_log = add(log1p_rest(x.fraction), x.fraction);
  const float result = fma(x.exponent, Constants<float>::kLn2High, mantissa_log);
  return with_special_logarithms(a, result);
}

// The interval is the one in which the exponent, once there is one, outweighs the polynomial.
RADDLE_LIBDEVICE float __nv_log2f(float a) {
  const FloatLogReduction x = log_reduction(a, kSqrtHalfBits);
  const float f = x.fraction;
  const float q = horner(f, -0.7213475f, 0.4808982f, -0.3606739f, 0.2885599f, -0.24046186f,
                         0.20532788f, -0.17919083f, 0.17041871f, -0.16676493f, 0.09767908f);
  // log2(e) in two parts: the leading term is what rounds.
  const float rest = fma(mul(f, f), q, mul(f, 0x1.4ae0c0p-26f));
  const float result = add(fma(f, 0x1.715476p+0f, rest), x.exponent);
  return with_special_logarithms(a, result);
}

RADDLE_LIBDEVICE_HELPER float decimal_logarithm(float a) {
  const FloatLogReduction x = log_reduction(a, kTwoThirdsBits);
  const float f = x.fraction;
  const float q = horner(f, -0.21714725f, 0.14476483f, -0.10857293f, 0.08685826f, -0.07243152f,
                         0.062087517f, -0.05307669f, 0.04713523f, -0.055269573f, 0.05043099f);
  const float rest = fma(mul(f, f), q, mul(f, -0x1.5b235ep-27f));
  const float mantissa_log = fma(f, 0x1.bcb7b2p-2f, fma(x.exponent, -0x1.ec10c0p-27f, rest));
  const float result = fma(x.exponent, 0x1.344136p-2f, mantissa_log);
  return with_special_logarithms(a, result);
}
RADDLE_LIBDEVICE float __nv_log10f(float a) {
  return RADDLE_LIBDEVICE_FAST_OR_CAREFUL(__nv_fast_log10f, decimal_logarithm)(a);
}

RADDLE_LIBDEVICE float __nv_log1pf(float a) {
  const float one_plus = add(a, 1.0f);
  const unsigned int exponent = (bits_of(one_plus) - kTwoThirdsBits) & 0xff800000u;
  // 1 + f = (1 + a) 2^-e, where f = a 2^-e + (2^-e - 1) comes from a itself and not from its
  // rounded sum.
  const int e = static_cast<int>(exponent) >> 23;
  const float scale =
      e > 126 ? float_from_bits(0x00800000u >> ((e - 126) & 31)) : float_power_of_two(-e);
  const Pair<float> f = two_sum(mul(a, scale), sub(scale, 1.0f));
  // What f lost weighs 1 / (1 + f), about 1 - f.
  const float rest = add(log1p_rest(f.high), fma(-f.high, f.low, f.low));
  const float mantissa_log = add(rest, f.high);
  const float result = fma(to_float_rn(e), Constants<float>::kLn2High, mantissa_log);
  if (magnitude(a) < 0x1p-25f) return a;
  return with_special_logarithms(one_plus, result);
}

RADDLE_LIBDEVICE_HELPER Pair<float> log_pair(float a) {
  const FloatLogReduction x = log_reduction(a, kSqrtHalfBits);
  return log_pair(x.fraction + 1.0f, x.exponent);
}

}  // namespace raddle::libdevice
