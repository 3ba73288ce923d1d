// Checks what accuracy tables leave out, on the host: zeros with their signs, infinities, NaN,
// denormals, poles and overflows of every function, exact results that programs rely on, and the
// functions of an order or of a vector.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "accuracy.h"
#include "oracles.h"
#include "raddle/cuda/libdevice/libdevice.h"

namespace raddle::libdevice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename Real>
struct Function {
  const char* name;
  Real (*actual)(Real);
  Real (*expected)(Real);  // the C library's
};

// Zeros, infinities and NaN must be the same, sign included; anything else within a few ulp.
template <typename Real>
void expect_like(Real actual, Real expected, const char* name, Real a, Real b = 0) {
  SCOPED_TRACE(testing::Message() << name << " of " << a << ", " << b << " gives " << actual
                                  << ", not " << expected);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual));
    return;
  }
  if (expected == 0 || std::isinf(expected)) {
    EXPECT_EQ(bits_of(actual), bits_of(expected));
    return;
  }
  const Real smallest = std::numeric_limits<Real>::denorm_min();
  EXPECT_NEAR(actual, expected,
              8 * std::numeric_limits<Real>::epsilon() * std::fabs(expected) + 4 * smallest);
}

using accuracy::special_values;

#define RADDLE_ROW(Real, name, suffix) \
  {#name #suffix, __nv_##name##suffix, [](Real x) -> Real { return std::name(x); }}
#define RADDLE_ROWS(Real, suffix)                                                                  \
  RADDLE_ROW(Real, exp, suffix), RADDLE_ROW(Real, exp2, suffix), RADDLE_ROW(Real, expm1, suffix),  \
      RADDLE_ROW(Real, log, suffix), RADDLE_ROW(Real, log2, suffix),                               \
      RADDLE_ROW(Real, log10, suffix), RADDLE_ROW(Real, log1p, suffix),                            \
      RADDLE_ROW(Real, sin, suffix), RADDLE_ROW(Real, cos, suffix), RADDLE_ROW(Real, tan, suffix), \
      RADDLE_ROW(Real, asin, suffix), RADDLE_ROW(Real, acos, suffix),                              \
      RADDLE_ROW(Real, atan, suffix), RADDLE_ROW(Real, sinh, suffix),                              \
      RADDLE_ROW(Real, cosh, suffix), RADDLE_ROW(Real, tanh, suffix),                              \
      RADDLE_ROW(Real, asinh, suffix), RADDLE_ROW(Real, acosh, suffix),                            \
      RADDLE_ROW(Real, atanh, suffix), RADDLE_ROW(Real, sqrt, suffix),                             \
      RADDLE_ROW(Real, cbrt, suffix), RADDLE_ROW(Real, erf, suffix),                               \
      RADDLE_ROW(Real, erfc, suffix), RADDLE_ROW(Real, lgamma, suffix)

TEST(DeviceMathSpecialValues, AreThoseOfTheCLibrary) {
  const std::vector<Function<double>> doubles = {RADDLE_ROWS(double, )};
  const std::vector<Function<float>> floats = {RADDLE_ROWS(float, f)};
  for (const auto& row : doubles) {
    for (const double x : special_values<double>())
      expect_like(row.actual(x), row.expected(x), row.name, x);
  }
  for (const auto& row : floats) {
    for (const float x : special_values<float>())
      expect_like(row.actual(x), row.expected(x), row.name, x);
  }
}

TEST(DeviceMathSpecialValues, OfTwoArgumentsAreThoseOfTheCLibrary) {
  for (const double x : special_values<double>()) {
    for (const double y : special_values<double>()) {
      expect_like(__nv_pow(x, y), std::pow(x, y), "pow", x, y);
      expect_like(__nv_atan2(x, y), std::atan2(x, y), "atan2", x, y);
      expect_like(__nv_hypot(x, y), std::hypot(x, y), "hypot", x, y);
    }
  }
  for (const float x : special_values<float>()) {
    for (const float y : special_values<float>()) {
      expect_like(__nv_powf(x, y), std::pow(x, y), "powf", x, y);
      expect_like(__nv_atan2f(x, y), std::atan2(x, y), "atan2f", x, y);
      expect_like(__nv_hypotf(x, y), std::hypot(x, y), "hypotf", x, y);
    }
  }
  for (const double y : {3.0, -3.0, 2.0, 2.5, 1e300}) {
    expect_like(__nv_pow(-2.0, y), std::pow(-2.0, y), "pow", -2.0, y);
    expect_like(__nv_powf(-2.0f, static_cast<float>(y)), std::pow(-2.0f, static_cast<float>(y)),
                "powf", -2.0f, static_cast<float>(y));
  }
}

TEST(DeviceMathSpecialValues, GammaHasPolesAtZeroAndBelow) {
  EXPECT_EQ(__nv_tgamma(0.0), kInfinity);
  EXPECT_EQ(__nv_tgamma(-0.0), -kInfinity);
  EXPECT_TRUE(std::isnan(__nv_tgamma(-1.0)));
  EXPECT_TRUE(std::isnan(__nv_tgamma(-kInfinity)));
  EXPECT_EQ(__nv_tgamma(kInfinity), kInfinity);
  EXPECT_EQ(__nv_tgamma(172.0), kInfinity);
  EXPECT_EQ(__nv_tgamma(-200.5), 0.0);
  EXPECT_EQ(__nv_tgammaf(36.0f), static_cast<float>(kInfinity));
  EXPECT_TRUE(std::isnan(__nv_tgammaf(-2.0f)));
  EXPECT_EQ(__nv_lgamma(-3.0), kInfinity);
  EXPECT_EQ(__nv_lgammaf(-3.0f), static_cast<float>(kInfinity));
  double factorial = 1;
  for (int n = 1; n < 19; ++n) {
    EXPECT_NEAR(__nv_tgamma(n) / factorial, 1, 1e-15) << n;
    factorial *= n;
  }
}

TEST(DeviceMathSpecialValues, OfTheErrorFunctionsAndTheNormalDistribution) {
  EXPECT_EQ(__nv_erfinv(1.0), kInfinity);
  EXPECT_EQ(__nv_erfinv(-1.0), -kInfinity);
  EXPECT_TRUE(std::isnan(__nv_erfinv(1.5)));
  EXPECT_EQ(bits_of(__nv_erfinv(-0.0)), bits_of(-0.0));
  EXPECT_EQ(__nv_erfcinv(0.0), kInfinity);
  EXPECT_EQ(__nv_erfcinv(2.0), -kInfinity);
  EXPECT_EQ(__nv_erfcinv(1.0), 0.0);
  EXPECT_TRUE(std::isnan(__nv_erfcinv(-0.1)));
  EXPECT_TRUE(std::isnan(__nv_erfcinvf(2.1f)));
  EXPECT_EQ(__nv_erfcx(kInfinity), 0.0);
  EXPECT_EQ(__nv_erfcx(-kInfinity), kInfinity);
  EXPECT_EQ(__nv_erfcx(0.0), 1.0);
  EXPECT_EQ(__nv_erfcxf(-100.0f), static_cast<float>(kInfinity));
  EXPECT_TRUE(std::isnan(__nv_erfcx(kNan)));
  EXPECT_EQ(__nv_normcdf(kInfinity), 1.0);
  EXPECT_EQ(__nv_normcdf(-kInfinity), 0.0);
  EXPECT_EQ(__nv_normcdf(0.0), 0.5);
  EXPECT_TRUE(std::isnan(__nv_normcdff(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(__nv_normcdfinv(0.0), -kInfinity);
  EXPECT_EQ(__nv_normcdfinv(1.0), kInfinity);
  EXPECT_EQ(__nv_normcdfinv(0.5), 0.0);
  EXPECT_TRUE(std::isnan(__nv_normcdfinvf(1.5f)));
}

TEST(DeviceMathSpecialValues, OfSinpiAndCospiAreExactAtWholeNumbers) {
  for (const double n : {1.0, 2.0, 3.0, 1e15, 0x1p60}) {
    EXPECT_EQ(bits_of(__nv_sinpi(n)), bits_of(0.0)) << n;
    EXPECT_EQ(bits_of(__nv_sinpi(-n)), bits_of(-0.0)) << n;
  }
  EXPECT_EQ(__nv_cospi(3.0), -1.0);
  EXPECT_EQ(__nv_cospi(0x1p60), 1.0);
  EXPECT_EQ(bits_of(__nv_cospi(2.5)), bits_of(0.0));
  EXPECT_EQ(__nv_sinpif(0.5f), 1.0f);
  EXPECT_EQ(__nv_sinpif(1.5f), -1.0f);
  EXPECT_EQ(__nv_cospif(16777216.0f), 1.0f);
  EXPECT_TRUE(std::isnan(__nv_sinpi(kInfinity)));
  EXPECT_TRUE(std::isnan(__nv_cospif(static_cast<float>(-kInfinity))));
}

TEST(DeviceMathSpecialValues, OfTheBesselFunctions) {
  EXPECT_EQ(__nv_j0(0.0), 1.0);
  EXPECT_EQ(__nv_j0(kInfinity), 0.0);
  EXPECT_EQ(bits_of(__nv_j1(-0.0)), bits_of(-0.0));
  EXPECT_EQ(__nv_y0(0.0), -kInfinity);
  EXPECT_EQ(__nv_y1(0.0), -kInfinity);
  EXPECT_EQ(__nv_yn(2, 0.0), -kInfinity);
  EXPECT_TRUE(std::isnan(__nv_y0(-1.0)));
  EXPECT_TRUE(std::isnan(__nv_yn(3, -1.0)));
  EXPECT_TRUE(std::isnan(__nv_j0(kNan)));
  EXPECT_EQ(__nv_y0(kInfinity), 0.0);
  EXPECT_EQ(__nv_jn(5, 0.0), 0.0);
  EXPECT_EQ(__nv_cyl_bessel_i0(0.0), 1.0);
  EXPECT_EQ(__nv_cyl_bessel_i0(-kInfinity), kInfinity);
  EXPECT_EQ(__nv_cyl_bessel_i1(-kInfinity), -kInfinity);
  EXPECT_EQ(bits_of(__nv_cyl_bessel_i1(-0.0)), bits_of(-0.0));
}

// The guide: absolute errors of 5e-12 and 2.2e-6 at order 128; Y in ulp below its order.
TEST(DeviceMathSpecialValues, BesselFunctionsOfOrderNKeepTheirBounds) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> small(-1, 1);
  for (const int n : {-5, -2, 0, 1, 2, 3, 7, 30, 128}) {
    for (int i = 0; i < 100; ++i) {
      const double x = small(random) * (i % 2 == 0 ? 300 : 20);
      const float x_float = static_cast<float>(x);
      EXPECT_NEAR(__nv_jn(n, x), static_cast<double>(oracles::jn(n, x)), 5e-12) << n << " " << x;
      EXPECT_NEAR(__nv_jnf(n, x_float), static_cast<float>(oracles::jn(n, x_float)), 2.2e-6)
          << n << " " << x_float;
      const double y = std::fabs(x);
      const double exact = static_cast<double>(oracles::yn(n, y));
      const double allowed = std::max(5e-12, std::fabs(exact) * (2 + 2.5 * std::abs(n)) * 0x1p-52);
      if (std::isinf(exact)) {
        EXPECT_EQ(__nv_yn(n, y), exact) << n << " " << y;
      } else {
        EXPECT_NEAR(__nv_yn(n, y), exact, allowed) << n << " " << y;
      }
      const double exact_float = static_cast<double>(oracles::yn(n, std::fabs(x_float)));
      if (std::fabs(exact_float) < 1e37) {
        const double allowed_float =
            std::max(2.2e-6, std::fabs(exact_float) * (2 + 2.5 * std::abs(n)) * 0x1p-23);
        EXPECT_NEAR(__nv_ynf(n, std::fabs(x_float)), exact_float, allowed_float)
            << n << " " << x_float;
      }
    }
  }
  // Relative accuracy in the far tail, where the values are tiny.
  EXPECT_NEAR(__nv_jn(40, 3.0) / static_cast<double>(oracles::jn(40, 3.0L)), 1.0, 1e-13);
  EXPECT_NEAR(__nv_jn(3, 1e-5) / static_cast<double>(oracles::jn(3, 1e-5)), 1.0, 1e-14);
}

TEST(DeviceMathSpecialValues, NormsNeitherOverflowNorVanish) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const double scale = std::ldexp(1.0, static_cast<int>(random() % 2000) - 1000);
    const double a = unit(random) * scale, b = unit(random) * scale, c = unit(random) * scale,
                 d = unit(random) * scale;
    const long double three =
        std::sqrt(static_cast<long double>(a) * a + static_cast<long double>(b) * b +
                  static_cast<long double>(c) * c);
    const long double four = std::hypot(three, static_cast<long double>(d));
    const double components[4] = {a, b, c, d};
    EXPECT_NEAR(__nv_norm3d(a, b, c) / three, 1, 0x1p-52);
    EXPECT_NEAR(__nv_norm4d(a, b, c, d) / four, 1, 0x1p-52);
    EXPECT_NEAR(__nv_rnorm3d(a, b, c) * three, 1, 0x1p-52);
    EXPECT_NEAR(__nv_rnorm4d(a, b, c, d) * four, 1, 0x1p-52);
    EXPECT_NEAR(__nv_norm(4, components) / four, 1, 0x1p-52);
    EXPECT_NEAR(__nv_rnorm(4, components) * four, 1, 0x1p-52);
    const float scale_float = std::ldexp(1.0f, static_cast<int>(random() % 240) - 120);
    const float e = static_cast<float>(unit(random)) * scale_float,
                f = static_cast<float>(unit(random)) * scale_float;
    const float g = static_cast<float>(unit(random)) * scale_float,
                h = static_cast<float>(unit(random)) * scale_float;
    const double three_float = std::sqrt(static_cast<double>(e) * e + static_cast<double>(f) * f +
                                         static_cast<double>(g) * g);
    const double four_float = std::hypot(three_float, static_cast<double>(h));
    const float components_float[4] = {e, f, g, h};
    EXPECT_NEAR(__nv_norm3df(e, f, g) / three_float, 1, 2 * 0x1p-23);
    EXPECT_NEAR(__nv_norm4df(e, f, g, h) / four_float, 1, 2 * 0x1p-23);
    EXPECT_NEAR(__nv_rnorm3df(e, f, g) * three_float, 1, 2 * 0x1p-23);
    EXPECT_NEAR(__nv_rnorm4df(e, f, g, h) * four_float, 1, 2 * 0x1p-23);
    EXPECT_NEAR(__nv_normf(4, components_float) / four_float, 1, 2 * 0x1p-23);
    EXPECT_NEAR(__nv_rnormf(4, components_float) * four_float, 1, 2 * 0x1p-23);
  }
  EXPECT_EQ(__nv_norm3d(kNan, kInfinity, 0.0), kInfinity);
  EXPECT_EQ(__nv_rnorm3d(0.0, 0.0, 0.0), kInfinity);
  EXPECT_EQ(__nv_rhypot(kInfinity, 1.0), 0.0);
  EXPECT_EQ(__nv_norm(0, nullptr), 0.0);
}

TEST(DeviceMathSpecialValues, ReciprocalRootsAtTheEnds) {
  EXPECT_EQ(__nv_rsqrt(0.0), kInfinity);
  EXPECT_EQ(__nv_rsqrt(-0.0), -kInfinity);
  EXPECT_EQ(__nv_rsqrt(kInfinity), 0.0);
  EXPECT_TRUE(std::isnan(__nv_rsqrt(-1.0)));
  EXPECT_EQ(__nv_rcbrt(0.0), kInfinity);
  EXPECT_EQ(__nv_rcbrt(-0.0), -kInfinity);
  EXPECT_EQ(bits_of(__nv_rcbrtf(static_cast<float>(-kInfinity))), bits_of(-0.0f));
  EXPECT_EQ(__nv_cbrt(27.0), 3.0);
  EXPECT_EQ(__nv_cbrtf(-64.0f), -4.0f);
}

TEST(DeviceMathSpecialValues, PowersOfTwoAndTenComeOutExact) {
  for (int i = -149; i < 128; ++i) {
    EXPECT_EQ(__nv_fast_powf(2.0f, static_cast<float>(i)), std::ldexp(1.0f, i)) << i;
    EXPECT_EQ(__nv_exp2f(static_cast<float>(i)), std::ldexp(1.0f, i)) << i;
    EXPECT_EQ(__nv_powf(2.0f, static_cast<float>(i)), std::ldexp(1.0f, i)) << i;
    EXPECT_EQ(__nv_log2f(std::ldexp(1.0f, i)), static_cast<float>(i)) << i;
  }
  for (int i = -1074; i < 1024; ++i) {
    EXPECT_EQ(__nv_exp2(i), std::ldexp(1.0, i)) << i;
    EXPECT_EQ(__nv_pow(2.0, i), std::ldexp(1.0, i)) << i;
    EXPECT_EQ(__nv_log2(std::ldexp(1.0, i)), i) << i;
  }
  double power = 1;
  for (int i = 0; i <= 22; ++i, power *= 10) {
    EXPECT_EQ(__nv_exp10(i), power) << i;
    EXPECT_EQ(__nv_pow(10.0, i), power) << i;
    EXPECT_EQ(__nv_log10(power), i) << i;
    EXPECT_EQ(__nv_powi(10.0, i), power) << i;
  }
  for (int i = -9; i < 10; ++i)
    EXPECT_FLOAT_EQ(__nv_powif(3.0f, i), std::pow(3.0f, static_cast<float>(i)));
}

TEST(DeviceMathSpecialValues, SincosAgreesWithItsParts) {
  for (const double x : {0.0, -0.0, 0.5, -3.0, 100.0, 1e9, 1e22, -1e300}) {
    double sine = 0, cosine = 0;
    __nv_sincos(x, &sine, &cosine);
    EXPECT_EQ(bits_of(sine), bits_of(__nv_sin(x))) << x;
    EXPECT_EQ(bits_of(cosine), bits_of(__nv_cos(x))) << x;
    __nv_sincospi(x, &sine, &cosine);
    EXPECT_EQ(bits_of(sine), bits_of(__nv_sinpi(x))) << x;
    EXPECT_EQ(bits_of(cosine), bits_of(__nv_cospi(x))) << x;
    const float y = x < -1e30 ? -1e30f : static_cast<float>(x);
    float sine_float = 0, cosine_float = 0;
    __nv_sincosf(y, &sine_float, &cosine_float);
    EXPECT_EQ(bits_of(sine_float), bits_of(__nv_sinf(y))) << y;
    EXPECT_EQ(bits_of(cosine_float), bits_of(__nv_cosf(y))) << y;
    __nv_sincospif(y, &sine_float, &cosine_float);
    EXPECT_EQ(bits_of(sine_float), bits_of(__nv_sinpif(y))) << y;
    EXPECT_EQ(bits_of(cosine_float), bits_of(__nv_cospif(y))) << y;
    __nv_fast_sincosf(y, &sine_float, &cosine_float);
    EXPECT_EQ(sine_float, __nv_fast_sinf(y));
    EXPECT_EQ(cosine_float, __nv_fast_cosf(y));
  }
}

TEST(DeviceMathSpecialValues, SaturationAndFastDivisionFollowTheirInstructions) {
  EXPECT_EQ(__nv_saturatef(-1.0f), 0.0f);
  EXPECT_EQ(__nv_saturatef(0.25f), 0.25f);
  EXPECT_EQ(__nv_saturatef(7.0f), 1.0f);
  EXPECT_EQ(__nv_saturatef(static_cast<float>(kNan)), 0.0f);
  EXPECT_EQ(__nv_fast_fdividef(6.0f, 3.0f), 2.0f);
  EXPECT_EQ(__nv_fast_fdividef(1.0f, 0x1p127f), 0.0f);  // div.approx gives zero there
  EXPECT_NEAR(__nv_fast_tanf(1.0f), std::tan(1.0f), 1e-6);
  EXPECT_TRUE(std::isnan(__nv_nan(nullptr)));
  EXPECT_TRUE(std::isnan(__nv_nanf(nullptr)));
}

}  // namespace
}  // namespace raddle::libdevice
