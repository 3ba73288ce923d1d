// What the device math functions should return, computed independently and far more precisely: by
// the C library in long double, by libquadmath where long double is not accurate near zeros, and by
// series and Newton's method for functions that neither has. Every oracle is good to some 2^-60
// relative.
#pragma once

#include <cmath>

// Declared here and not by <quadmath.h>, which only g++ finds.
extern "C" {
__float128 expq(__float128);
__float128 erfq(__float128);
__float128 erfcq(__float128);
__float128 logq(__float128);
__float128 sinq(__float128);
__float128 cosq(__float128);
__float128 sqrtq(__float128);
__float128 lgammaq(__float128);
__float128 tgammaq(__float128);
__float128 jnq(int, __float128);
__float128 ynq(int, __float128);
}

namespace raddle::oracles {

using Quad = __float128;

inline Quad quad_pi() {
  return Quad(0x1.921fb54442d18p+1) + Quad(0x1.1a62633145c07p-53) + Quad(-0x1.f1976b7ed8fbcp-109);
}

inline long double exp(long double x) { return std::exp(x); }
inline long double exp2(long double x) { return std::exp2(x); }
inline long double exp10(long double x) { return ::exp10l(x); }
inline long double expm1(long double x) { return std::expm1(x); }
inline long double log(long double x) { return std::log(x); }
inline long double log2(long double x) { return std::log2(x); }
inline long double log10(long double x) { return std::log10(x); }
inline long double log1p(long double x) { return std::log1p(x); }
inline long double sin(long double x) { return std::sin(x); }
inline long double cos(long double x) { return std::cos(x); }
inline long double tan(long double x) { return std::tan(x); }
inline long double asin(long double x) { return std::asin(x); }
inline long double acos(long double x) { return std::acos(x); }
inline long double atan(long double x) { return std::atan(x); }
inline long double atan2(long double y, long double x) { return std::atan2(y, x); }
inline long double sinh(long double x) { return std::sinh(x); }
inline long double cosh(long double x) { return std::cosh(x); }
inline long double tanh(long double x) { return std::tanh(x); }
inline long double asinh(long double x) { return std::asinh(x); }
inline long double acosh(long double x) { return std::acosh(x); }
inline long double atanh(long double x) { return std::atanh(x); }
inline long double pow(long double x, long double y) { return std::pow(x, y); }
inline long double cbrt(long double x) { return std::cbrt(x); }
inline long double rcbrt(long double x) { return 1 / std::cbrt(x); }
inline long double rsqrt(long double x) { return 1 / std::sqrt(x); }
inline long double hypot(long double x, long double y) { return std::hypot(x, y); }
inline long double rhypot(long double x, long double y) { return 1 / std::hypot(x, y); }
inline long double quotient(long double x, long double y) { return x / y; }
inline long double erf(long double x) { return std::erf(x); }
inline long double erfc(long double x) { return static_cast<long double>(erfcq(x)); }
inline long double lgamma(long double x) { return static_cast<long double>(lgammaq(x)); }
inline long double tgamma(long double x) { return static_cast<long double>(tgammaq(x)); }
inline long double j0(long double x) { return static_cast<long double>(jnq(0, x)); }
inline long double j1(long double x) { return static_cast<long double>(jnq(1, x)); }
inline long double jn(int n, long double x) { return static_cast<long double>(jnq(n, x)); }
inline long double y0(long double x) { return static_cast<long double>(ynq(0, x)); }
inline long double y1(long double x) { return static_cast<long double>(ynq(1, x)); }
inline long double yn(int n, long double x) { return static_cast<long double>(ynq(n, x)); }

// The reduction to a quarter turn either side of a zero is exact.
inline long double sinpi(long double x) {
  if (!std::isfinite(x)) return x - x;
  const long double r = x - 2 * std::nearbyint(x / 2);  // in [-1, 1]
  const long double near_zero = r > 0.5L ? 1 - r : (r < -0.5L ? -1 - r : r);
  if (near_zero == 0) return std::copysign(0.0L, x);
  return static_cast<long double>(sinq(quad_pi() * near_zero));
}
inline long double cospi(long double x) {
  if (!std::isfinite(x)) return x - x;
  const long double r = std::fabs(x - 2 * std::nearbyint(x / 2));
  return static_cast<long double>(sinq(quad_pi() * (0.5L - r)));
}

inline long double erfcx(long double x) {
  const Quad square = Quad(x) * x;
  if (x < 100) return static_cast<long double>(expq(square) * erfcq(x));
  // The asymptotic series; at 100 its tenth term is below 2^-100.
  Quad term = 1, total = 1;
  for (int k = 1; k < 10; ++k) {
    term *= -(2 * k - 1) / (2 * square);
    total += term;
  }
  return static_cast<long double>(total / (x * sqrtq(quad_pi())));
}

// Solves erfc(z) = y for 0 < y <= 1 by Halley's method.
inline Quad inverse_erfc(Quad y) {
  Quad z = 0;
  if (y < 0.5) {
    // erfc z ~ e^(-z^2) / (z sqrt pi)
    Quad w = -logq(y * sqrtq(quad_pi()));
    z = sqrtq(w - logq(sqrtq(w > 1 ? w : Quad(1))) + 1e-3);
  } else {
    z = (1 - y) * 0.88;
  }
  for (int i = 0; i < 30; ++i) {
    const Quad step = (erfcq(z) - y) / (-2 / sqrtq(quad_pi()) * expq(-z * z));
    const Quad correction = step / (1 + z * step);
    z -= correction;
    const Quad size = correction < 0 ? -correction : correction;
    if (size < 1e-26 * z || size == 0) break;
  }
  return z;
}
inline long double erfinv(long double x) {
  if (std::isnan(x) || std::fabs(x) > 1) return std::nanl("");
  if (std::fabs(x) == 1) return x / 0.0L;
  // Near zero 1 - x would lose digits, and the first two terms of the series are enough.
  if (std::fabs(x) < 1e-9L) {
    const Quad cubic = Quad(x) * x * x * quad_pi() / 12;
    return static_cast<long double>((Quad(x) + cubic) * sqrtq(quad_pi()) / 2);
  }
  const long double size = static_cast<long double>(inverse_erfc(1 - Quad(std::fabs(x))));
  return std::copysign(size, x);
}
inline long double erfcinv(long double y) {
  if (std::isnan(y) || y < 0 || y > 2) return std::nanl("");
  if (y == 0) return HUGE_VALL;
  if (y == 2) return -HUGE_VALL;
  // For y = 1 - x with tiny x, 1 - y is exact.
  if (std::fabs(1 - y) < 1e-9L) return erfinv(1 - y);
  return static_cast<long double>(y <= 1 ? inverse_erfc(y) : -inverse_erfc(2 - Quad(y)));
}
inline long double normcdf(long double x) {
  return static_cast<long double>(erfcq(-Quad(x) / sqrtq(Quad(2))) / 2);
}
inline long double normcdfinv(long double p) { return -std::sqrt(2.0L) * erfcinv(2 * p); }

// The power series, all of whose terms are positive.
inline long double modified_bessel(int order, long double x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return order == 0 ? std::fabs(x) : x;
  const long double quarter_square = x * x / 4;
  long double term = order == 0 ? 1 : x / 2;
  long double total = term;
  for (int k = 1; k < 5000 && std::fabs(term) > 1e-22L * std::fabs(total); ++k) {
    term *= quarter_square / (static_cast<long double>(k) * (k + order));
    total += term;
  }
  return total;
}
inline long double cyl_bessel_i0(long double x) { return modified_bessel(0, x); }
inline long double cyl_bessel_i1(long double x) { return modified_bessel(1, x); }

}  // namespace raddle::oracles
