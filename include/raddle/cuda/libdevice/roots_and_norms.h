// Square and cube roots, their reciprocals, and the lengths of vectors. Vectors are scaled by a
// power of two first so that no square overflows or vanishes; the double-precision sums of squares
// are pairs.
#pragma once

#include "floating_point_utilities.h"
#include "pair_arithmetic.h"
#include "primitives.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE double __nv_sqrt(double a) { return sqrt_rn(a); }
RADDLE_LIBDEVICE float __nv_sqrtf(float a) { return sqrt_rn(a); }
RADDLE_LIBDEVICE float __nv_rsqrtf(float a) { return rsqrt_approx(a); }

// One Newton step from an approximation y of 1/sqrt(a): y + y (1 - a y^2) / 2, the bracket without
// rounding.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real refined_reciprocal_root(Real a, Real y) {
  const Pair<Real> square = two_product(y, y);
  const Real error = fma(-a, square.low, fma(-a, square.high, Real{1}));
  return fma(mul(y, Real{0.5}), error, y);
}

RADDLE_LIBDEVICE double __nv_rsqrt(double a) {
  // Extreme arguments are scaled by an even power of two, so that y^2 stays in range.
  const double scale = a < 0x1p-800 ? 0x1p100 : (a > 0x1p800 ? 0x1p-100 : 1.0);
  const double x = mul(mul(a, scale), scale);
  const double y = rsqrt_approx(x);
  const double result = mul(refined_reciprocal_root(x, y), scale);
  return !(a > 0.0) || is_infinite(a) ? y : result;
}
RADDLE_LIBDEVICE float __nv_frsqrt_rn(float a) {
  const float scale = a < 0x1p-80f ? 0x1p30f : (a > 0x1p80f ? 0x1p-30f : 1.0f);
  const float x = mul(mul(a, scale), scale);
  const float y = rsqrt_approx(x);
  const float result = mul(refined_reciprocal_root(x, y), scale);
  return !(x > 0.0f) || is_infinite(a) ? y : result;  // x, which is not denormal: see primitives.h
}

// Cube roots start from the special function unit's 2^(log2(a) / 3) and take Newton steps.
RADDLE_LIBDEVICE float __nv_cbrtf(float a) {
  const float size = magnitude(a);
  const float t = ex2_approx(mul(lg2_approx(size), 0x1.555556p-2f));
  const float result = fma(sub(t, size / mul(t, t)), -0x1.555556p-2f, t);
  return a == 0.0f || !is_finite(a) ? a + a : with_sign(result, a);
}
RADDLE_LIBDEVICE float __nv_rcbrtf(float a) {
  const float size = magnitude(a);
  const float t = ex2_approx(mul(lg2_approx(size), -0x1.555556p-2f));
  // t + t (1 - a t^3) / 3, with the products' rounding errors carried along.
  const Pair<float> square = two_product(t, t);
  const Pair<float> product_with_a = two_product(size, t);
  const float cube = mul(square.high, product_with_a.high);
  const float lost =
      fma(square.high, product_with_a.low,
          fma(square.low, product_with_a.high, fma(square.high, product_with_a.high, -cube)));
  const float error = sub(sub(1.0f, cube), lost);
  const float result = fma(mul(t, 0x1.555556p-2f), error, t);
  return a == 0.0f || !is_finite(a) ? 1.0f / a : with_sign(result, a);
}

struct CubeRootReduction {
  double mantissa;  // in [1, 8)
  int third;        // the argument is mantissa * 2^(3 third)
  double estimate;  // of mantissa^(+-1/3), to some 20 bits
};
RADDLE_LIBDEVICE_HELPER CubeRootReduction cube_root_reduction(double a, float power) {
  const int exponent = exponent_of(a);
  // Floor division by three; the offset makes the dividend positive.
  const int third = (exponent + 3072) / 3 - 1024;
  const double mantissa = __nv_ldexp(magnitude(a), -3 * third);
  const float start = ex2_approx(mul(lg2_approx(to_float_rn(mantissa)), power));
  return {mantissa, third, static_cast<double>(start)};
}

RADDLE_LIBDEVICE double __nv_cbrt(double a) {
  if (a == 0.0 || !is_finite(a)) return a + a;
  const CubeRootReduction x = cube_root_reduction(a, 0x1.555556p-2f);
  double t = x.estimate;
  t = fma(sub(t, x.mantissa / mul(t, t)), -0x1.5555555555555p-2, t);
  // The last step needs m - t^3 to more than double precision.
  const Pair<double> square = two_product(t, t);
  const double cube = mul(square.high, t);
  const double lost = fma(square.low, t, fma(square.high, t, -cube));
  const double error = sub(sub(x.mantissa, cube), lost);
  t = add(t, error / mul(3.0, square.high));
  return with_sign(mul(t, double_power_of_two(x.third)), a);
}
RADDLE_LIBDEVICE double __nv_rcbrt(double a) {
  if (a == 0.0 || !is_finite(a)) return 1.0 / a;
  const CubeRootReduction x = cube_root_reduction(a, -0x1.555556p-2f);
  double t = x.estimate;
  t = fma(mul(t, 0x1.5555555555555p-2), fma(-mul(x.mantissa, t), mul(t, t), 1.0), t);
  const Pair<double> square = two_product(t, t);
  const Pair<double> product_with_m = two_product(x.mantissa, t);
  const double cube = mul(square.high, product_with_m.high);
  const double lost =
      fma(square.high, product_with_m.low,
          fma(square.low, product_with_m.high, fma(square.high, product_with_m.high, -cube)));
  const double error = sub(sub(1.0, cube), lost);
  t = fma(mul(t, 0x1.5555555555555p-2), error, t);
  return with_sign(mul(t, double_power_of_two(-x.third)), a);
}

// A power of two that brings the largest component where squares neither overflow nor vanish, and
// its inverse.
template <typename Real>
struct Scale {
  Real factor;
  Real inverse;
};
RADDLE_LIBDEVICE_HELPER Scale<float> norm_scale(float largest) {
  if (largest > 0x1p60f) return {0x1p-70f, 0x1p70f};
  if (largest < 0x1p-30f) return {0x1p90f, 0x1p-90f};
  return {1.0f, 1.0f};
}
RADDLE_LIBDEVICE_HELPER Scale<double> norm_scale(double largest) {
  if (largest > 0x1p500) return {0x1p-600, 0x1p600};
  if (largest < 0x1p-400) return {0x1p600, 0x1p-600};
  return {1.0, 1.0};
}

template <typename Real>
struct SumOfSquares {
  Real high, low;
};
// Float keeps no low part: hypotf and its like promise two or three units in the last place.
RADDLE_LIBDEVICE_HELPER void accumulate_square(SumOfSquares<float>& total, float a) {
  total.high = fma(a, a, total.high);
}
RADDLE_LIBDEVICE_HELPER void accumulate_square(SumOfSquares<double>& total, double a) {
  const Pair<double> square = two_product(a, a);
  const Pair<double> next = two_sum(total.high, square.high);
  total.low = add(total.low, add(square.low, next.low));
  total.high = next.high;
}

RADDLE_LIBDEVICE_HELPER float root_of(SumOfSquares<float> total) { return sqrt_rn(total.high); }
RADDLE_LIBDEVICE_HELPER double root_of(SumOfSquares<double> total) {
  const double root = sqrt_rn(total.high);
  const double error = add(fma(-root, root, total.high), total.low);
  return root == 0.0 ? root : add(root, mul(0.5, error / root));
}
RADDLE_LIBDEVICE_HELPER float reciprocal_root_of(SumOfSquares<float> total) {
  return rsqrt_approx(total.high);
}
RADDLE_LIBDEVICE_HELPER double reciprocal_root_of(SumOfSquares<double> total) {
  const double y = rsqrt_approx(total.high);
  const Pair<double> square = two_product(y, y);
  const double error = fma(-total.high, square.low, fma(-total.high, square.high, 1.0));
  const double all_error = fma(-total.low, square.high, error);
  return total.high == 0.0 ? y : fma(mul(y, 0.5), all_error, y);
}

// What all norms share. An infinite component makes the length infinite even beside a NaN.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real length(int count, const Real* components, bool reciprocal) {
  Real largest = Real{0};
  bool infinite = false;
  bool nan = false;
  for (int i = 0; i < count; ++i) {
    largest = larger(largest, magnitude(components[i]));
    infinite = infinite || is_infinite(components[i]);
    nan = nan || is_nan(components[i]);
  }
  const Scale<Real> scale = norm_scale(largest);
  SumOfSquares<Real> total = {Real{0}, Real{0}};
  for (int i = 0; i < count; ++i) accumulate_square(total, mul(components[i], scale.factor));
  if (infinite) return reciprocal ? Real{0} : largest;
  if (nan) return total.high;
  return reciprocal ? mul(reciprocal_root_of(total), scale.factor)
                    : mul(root_of(total), scale.inverse);
}

RADDLE_LIBDEVICE double __nv_hypot(double a, double b) {
  const double components[2] = {a, b};
  return length(2, components, false);
}
RADDLE_LIBDEVICE float __nv_hypotf(float a, float b) {
  const float components[2] = {a, b};
  return length(2, components, false);
}
RADDLE_LIBDEVICE double __nv_rhypot(double a, double b) {
  const double components[2] = {a, b};
  return length(2, components, true);
}
RADDLE_LIBDEVICE float __nv_rhypotf(float a, float b) {
  const float components[2] = {a, b};
  return length(2, components, true);
}
RADDLE_LIBDEVICE double __nv_norm3d(double a, double b, double c) {
  const double components[3] = {a, b, c};
  return length(3, components, false);
}
RADDLE_LIBDEVICE float __nv_norm3df(float a, float b, float c) {
  const float components[3] = {a, b, c};
  return length(3, components, false);
}
RADDLE_LIBDEVICE double __nv_rnorm3d(double a, double b, double c) {
  const double components[3] = {a, b, c};
  return length(3, components, true);
}
RADDLE_LIBDEVICE float __nv_rnorm3df(float a, float b, float c) {
  const float components[3] = {a, b, c};
  return length(3, components, true);
}
RADDLE_LIBDEVICE double __nv_norm4d(double a, double b, double c, double d) {
  const double components[4] = {a, b, c, d};
  return length(4, components, false);
}
RADDLE_LIBDEVICE float __nv_norm4df(float a, float b, float c, float d) {
  const float components[4] = {a, b, c, d};
  return length(4, components, false);
}
RADDLE_LIBDEVICE double __nv_rnorm4d(double a, double b, double c, double d) {
  const double components[4] = {a, b, c, d};
  return length(4, components, true);
}
RADDLE_LIBDEVICE float __nv_rnorm4df(float a, float b, float c, float d) {
  const float components[4] = {a, b, c, d};
  return length(4, components, true);
}
RADDLE_LIBDEVICE double __nv_norm(int count, const double* components) {
  return length(count, components, false);
}
RADDLE_LIBDEVICE float __nv_normf(int count, const float* components) {
  return length(count, components, false);
}
RADDLE_LIBDEVICE double __nv_rnorm(int count, const double* components) {
  return length(count, components, true);
}
RADDLE_LIBDEVICE float __nv_rnormf(int count, const float* components) {
  return length(count, components, true);
}

}  // namespace raddle::libdevice
