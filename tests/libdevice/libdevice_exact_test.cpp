// Checks the functions of the device math library whose results have no error at all, on the host:
// rounding arithmetic, conversions, integer and SIMD functions, and those that take numbers apart.
// Each is compared with the C library, with exact wide arithmetic, or with the plainest loop that
// says the same.
#include <gtest/gtest.h>

#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "raddle/cuda/libdevice/libdevice.h"

namespace raddle::libdevice {
namespace {

constexpr int kSamples = 5000;

std::mt19937_64& random_bits() {
  static std::mt19937_64 generator(7);
  return generator;
}

// Any bit pattern: all exponents, denormals, and now and then an infinity or NaN.
float any_float() {
  static const float special[] = {0.0f,      -0.0f, 1.0f,      -1.0f, INFINITY,
                                  -INFINITY, NAN,   0x1p-149f, 0.5f,  -2.5f};
  const std::uint64_t bits = random_bits()();
  return bits % 16 == 0 ? special[(bits >> 8) % 10]
                        : float_from_bits(static_cast<unsigned>(bits >> 32));
}
double any_double() {
  static const double special[] = {0.0,       -0.0, 1.0,       -1.0, INFINITY,
                                   -INFINITY, NAN,  0x1p-1074, 0.5,  -2.5};
  const std::uint64_t bits = random_bits()();
  return bits % 16 == 0 ? special[(bits >> 8) % 10] : double_from_bits(random_bits()());
}
// Numbers of everyday size, for operations that overflow on any others.
double moderate() {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random_bits()())), -50);
}

template <typename Real>
void expect_same(Real actual, Real expected, const char* what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << what;
  } else {
    EXPECT_EQ(bits_of(actual), bits_of(expected))
        << what << ": " << actual << " is not " << expected;
  }
}

TEST(DeviceMathExact, RepresentationFunctionsAgreeWithTheCLibrary) {
  for (int i = 0; i < kSamples; ++i) {
    const double x = any_double(), y = any_double();
    const float a = any_float(), b = any_float();
    expect_same(__nv_floor(x), std::floor(x), "floor");
    expect_same(__nv_ceil(x), std::ceil(x), "ceil");
    expect_same(__nv_trunc(x), std::trunc(x), "trunc");
    expect_same(__nv_rint(x), std::rint(x), "rint");
    expect_same(__nv_nearbyint(x), std::nearbyint(x), "nearbyint");
    expect_same(__nv_round(x), std::round(x), "round");
    expect_same(__nv_roundf(a), std::round(a), "roundf");
    expect_same(__nv_floorf(a), std::floor(a), "floorf");
    expect_same(__nv_ceilf(a), std::ceil(a), "ceilf");
    expect_same(__nv_truncf(a), std::trunc(a), "truncf");
    expect_same(__nv_rintf(a), std::rint(a), "rintf");
    expect_same(__nv_nearbyintf(a), std::nearbyint(a), "nearbyintf");
    expect_same(__nv_fabs(x), std::fabs(x), "fabs");
    expect_same(__nv_fabsf(a), std::fabs(a), "fabsf");
    expect_same(__nv_copysign(x, y), std::copysign(x, y), "copysign");
    expect_same(__nv_copysignf(a, b), std::copysign(a, b), "copysignf");
    expect_same(__nv_fdim(x, y), std::fdim(x, y), "fdim");
    expect_same(__nv_fdimf(a, b), std::fdim(a, b), "fdimf");
    expect_same(__nv_nextafter(x, y), std::nextafter(x, y), "nextafter");
    expect_same(__nv_nextafterf(a, b), std::nextafter(a, b), "nextafterf");
    expect_same(__nv_logb(x), std::logb(x), "logb");
    expect_same(__nv_logbf(a), std::logb(a), "logbf");
    EXPECT_EQ(__nv_isnand(x), std::isnan(x));
    EXPECT_EQ(__nv_isnanf(a), std::isnan(a));
    EXPECT_EQ(__nv_isinfd(x), std::isinf(x));
    EXPECT_EQ(__nv_isinff(a), std::isinf(a));
    EXPECT_EQ(__nv_isfinited(x), std::isfinite(x));
    EXPECT_EQ(__nv_finitef(a), std::isfinite(a));
    EXPECT_EQ(__nv_signbitd(x), std::signbit(x));
    EXPECT_EQ(__nv_signbitf(a), std::signbit(a));
    if (std::isfinite(x) && x != 0) {
      EXPECT_EQ(__nv_ilogb(x), std::ilogb(x));
    }
    if (std::isfinite(a) && a != 0) {
      EXPECT_EQ(__nv_ilogbf(a), std::ilogb(a));
    }
    if (!std::isnan(x) && !std::isnan(y) && x != y) {
      expect_same(__nv_fmax(x, y), std::fmax(x, y), "fmax");
      expect_same(__nv_fmin(x, y), std::fmin(x, y), "fmin");
    }
    if (!std::isnan(a) && !std::isnan(b) && a != b) {
      expect_same(__nv_fmaxf(a, b), std::fmax(a, b), "fmaxf");
      expect_same(__nv_fminf(a, b), std::fmin(a, b), "fminf");
    }
    const double m = moderate();
    EXPECT_EQ(__nv_llrint(m), std::llrint(m));
    EXPECT_EQ(__nv_llround(m), std::llround(m));
    EXPECT_EQ(__nv_llrintf(static_cast<float>(m)), std::llrint(static_cast<float>(m)));
    EXPECT_EQ(__nv_llroundf(static_cast<float>(m)), std::llround(static_cast<float>(m)));
  }
}

TEST(DeviceMathExact, RoundTakesHalvesAwayFromZero) {
  EXPECT_EQ(__nv_round(0.5), 1.0);
  EXPECT_EQ(__nv_round(-2.5), -3.0);
  EXPECT_EQ(__nv_round(0.49999999999999994), 0.0);
  EXPECT_EQ(__nv_roundf(0.49999997f), 0.0f);
  EXPECT_EQ(__nv_roundf(8388607.5f), 8388608.0f);
  EXPECT_EQ(__nv_round(4503599627370495.5), 4503599627370496.0);
}

TEST(DeviceMathExact, NumbersComeApartAndGoTogetherAsInTheCLibrary) {
  for (int i = 0; i < kSamples; ++i) {
    const double x = any_double();
    const float a = any_float();
    const int n = static_cast<int>(random_bits()() % 4400) - 2200;
    expect_same(__nv_ldexp(x, n), std::ldexp(x, n), "ldexp");
    expect_same(__nv_scalbn(x, n), std::ldexp(x, n), "scalbn");
    expect_same(__nv_ldexpf(a, n / 7), std::ldexp(a, n / 7), "ldexpf");
    expect_same(__nv_scalbnf(a, n / 7), std::ldexp(a, n / 7), "scalbnf");
    int exponent = 0, expected_exponent = 0;
    expect_same(__nv_frexp(x, &exponent), std::frexp(x, &expected_exponent), "frexp");
    if (std::isfinite(x)) {
      EXPECT_EQ(exponent, expected_exponent);
    }
    expect_same(__nv_frexpf(a, &exponent), std::frexp(a, &expected_exponent), "frexpf");
    if (std::isfinite(a)) {
      EXPECT_EQ(exponent, expected_exponent);
    }
    double whole = 0, expected_whole = 0;
    expect_same(__nv_modf(x, &whole), std::modf(x, &expected_whole), "modf");
    expect_same(whole, expected_whole, "modf's whole part");
    float whole_f = 0, expected_whole_f = 0;
    expect_same(__nv_modff(a, &whole_f), std::modf(a, &expected_whole_f), "modff");
    expect_same(whole_f, expected_whole_f, "modff's whole part");
  }
  EXPECT_EQ(__nv_ldexp(1.0, INT_MAX), INFINITY);
  EXPECT_EQ(__nv_ldexpf(1.0f, INT_MIN), 0.0f);
}

TEST(DeviceMathExact, RemaindersAreExact) {
  for (int i = 0; i < kSamples; ++i) {
    const bool near = i % 2 == 0;
    const double x = near ? moderate() : any_double(), y = near ? moderate() : any_double();
    const float a = near ? static_cast<float>(x) : any_float(),
                b = near ? static_cast<float>(y) : any_float();
    expect_same(__nv_fmod(x, y), std::fmod(x, y), "fmod");
    expect_same(__nv_fmodf(a, b), std::fmod(a, b), "fmodf");
    expect_same(__nv_remainder(x, y), std::remainder(x, y), "remainder");
    expect_same(__nv_remainderf(a, b), std::remainder(a, b), "remainderf");
    int quotient = 0, expected = 0;
    expect_same(__nv_remquo(x, y, &quotient), std::remquo(x, y, &expected), "remquo");
    if (std::isfinite(x) && !std::isnan(y) && y != 0) {
      // The standard promises three bits and the sign.
      EXPECT_EQ(std::abs(quotient) & 7, std::abs(expected) & 7) << x << " " << y;
    }
    expect_same(__nv_remquof(a, b, &quotient), std::remquo(a, b, &expected), "remquof");
    if (std::isfinite(a) && !std::isnan(b) && b != 0) {
      EXPECT_EQ(std::abs(quotient) & 7, std::abs(expected) & 7) << a << " " << b;
    }
  }
  int quotient = 0;
  EXPECT_EQ(__nv_remquo(-7.0, 2.0, &quotient), 1.0);
  EXPECT_EQ(quotient, -4);
  EXPECT_EQ(__nv_remainder(5.0, 2.0), 1.0);
  EXPECT_EQ(__nv_remainder(7.0, 2.0), -1.0);
}

// --- rounding ----------------------------------------------------------------------------------

enum class Rounding { kNearest, kTowardZero, kDown, kUp };

// Rounds an exact quad value to Real by trying the two neighbours; `exact` must not be a sum that
// quad rounds.
template <typename Real>
Real rounded(__float128 exact, Rounding mode) {
  using Limits = std::numeric_limits<Real>;
  Real near = static_cast<Real>(exact);  // g++ and clang round to nearest
  if (mode == Rounding::kNearest || std::isnan(near)) return near;
  const bool down = mode == Rounding::kDown || (mode == Rounding::kTowardZero && exact > 0);
  if (std::isinf(near) && static_cast<double>(exact) != static_cast<double>(near)) {
    if (exact > Limits::max() && down) return Limits::max();
    if (exact < -static_cast<__float128>(Limits::max()) && !down) return -Limits::max();
    return near;
  }
  if (down && near > exact) return std::nextafter(near, -Limits::infinity());
  if (!down && near < exact) return std::nextafter(near, Limits::infinity());
  return near;
}

template <typename Real>
using Operation = Real (*)(Real, Real);

template <typename Real>
Real rounding_operand() {
  // Exponents within 40 of each other: quad then holds every sum and product exactly.
  const auto bits = random_bits()();
  const Real mantissa = static_cast<Real>(static_cast<std::int64_t>(bits >> 12) - (1ll << 51));
  return std::ldexp(mantissa, static_cast<int>(bits % 20) - 60);
}

template <typename Real, typename Exact>
void expect_rounded(Operation<Real> rn, Operation<Real> rz, Operation<Real> rd, Operation<Real> ru,
                    Exact exact, const char* what) {
  for (int i = 0; i < kSamples / 5; ++i) {
    const Real a = rounding_operand<Real>(), b = rounding_operand<Real>();
    const __float128 value = exact(a, b);
    EXPECT_EQ(rn(a, b), rounded<Real>(value, Rounding::kNearest)) << what << " " << a << " " << b;
    EXPECT_EQ(rz(a, b), rounded<Real>(value, Rounding::kTowardZero))
        << what << " " << a << " " << b;
    EXPECT_EQ(rd(a, b), rounded<Real>(value, Rounding::kDown)) << what << " " << a << " " << b;
    EXPECT_EQ(ru(a, b), rounded<Real>(value, Rounding::kUp)) << what << " " << a << " " << b;
  }
}

#define RADDLE_FOUR(name) name##_rn, name##_rz, name##_rd, name##_ru

TEST(DeviceMathExact, ArithmeticRoundsAsItsNameSays) {
  using Quad = __float128;
  const auto sum = [](Quad a, Quad b) { return a + b; };
  const auto difference = [](Quad a, Quad b) { return a - b; };
  const auto product = [](Quad a, Quad b) { return a * b; };
  const auto quotient = [](Quad a, Quad b) { return a / b; };
  expect_rounded<float>(RADDLE_FOUR(__nv_fadd), sum, "fadd");
  expect_rounded<float>(RADDLE_FOUR(__nv_fsub), difference, "fsub");
  expect_rounded<float>(RADDLE_FOUR(__nv_fmul), product, "fmul");
  expect_rounded<float>(RADDLE_FOUR(__nv_fdiv), quotient, "fdiv");
  expect_rounded<double>(RADDLE_FOUR(__nv_dadd), sum, "dadd");
  expect_rounded<double>(RADDLE_FOUR(__nv_dsub), difference, "dsub");
  expect_rounded<double>(RADDLE_FOUR(__nv_dmul), product, "dmul");
  expect_rounded<double>(RADDLE_FOUR(__nv_ddiv), quotient, "ddiv");
}

// A number and its square bracket a root that is rounded down or up.
TEST(DeviceMathExact, RootsAndReciprocalsRoundAsTheirNamesSay) {
  using Quad = __float128;
  for (int i = 0; i < kSamples; ++i) {
    const float a = std::fabs(rounding_operand<float>()) + 1e-3f;
    const double x = std::fabs(rounding_operand<double>()) + 1e-3;
    EXPECT_LE(Quad(__nv_fsqrt_rd(a)) * __nv_fsqrt_rd(a), Quad(a));
    EXPECT_GE(Quad(__nv_fsqrt_ru(a)) * __nv_fsqrt_ru(a), Quad(a));
    EXPECT_EQ(__nv_fsqrt_rz(a), __nv_fsqrt_rd(a));
    EXPECT_LE(__nv_fsqrt_ru(a), std::nextafter(__nv_fsqrt_rd(a), INFINITY));
    EXPECT_EQ(__nv_fsqrt_rn(a), std::sqrt(a));
    EXPECT_LE(Quad(__nv_dsqrt_rd(x)) * __nv_dsqrt_rd(x), Quad(x));
    EXPECT_GE(Quad(__nv_dsqrt_ru(x)) * __nv_dsqrt_ru(x), Quad(x));
    EXPECT_EQ(__nv_dsqrt_rz(x), __nv_dsqrt_rd(x));
    EXPECT_LE(__nv_dsqrt_ru(x), std::nextafter(__nv_dsqrt_rd(x), static_cast<double>(INFINITY)));
    EXPECT_EQ(__nv_dsqrt_rn(x), std::sqrt(x));
    EXPECT_LE(Quad(__nv_frcp_rd(a)) * a, Quad(1));
    EXPECT_GE(Quad(__nv_frcp_ru(a)) * a, Quad(1));
    EXPECT_EQ(__nv_frcp_rz(a), __nv_frcp_rd(a));
    EXPECT_EQ(__nv_frcp_rn(a), 1.0f / a);
    EXPECT_LE(Quad(__nv_drcp_rd(x)) * x, Quad(1));
    EXPECT_GE(Quad(__nv_drcp_ru(x)) * x, Quad(1));
    EXPECT_EQ(__nv_drcp_rz(x), __nv_drcp_rd(x));
    EXPECT_EQ(__nv_drcp_rn(x), 1.0 / x);
    EXPECT_NEAR(__nv_rcp64h(x) * x, 1.0, 0x1p-18);
  }
}

TEST(DeviceMathExact, FusedMultiplyAddRoundsOnceAndAsItsNameSays) {
  using Quad = __float128;
  for (int i = 0; i < kSamples; ++i) {
    const float a = rounding_operand<float>(), b = rounding_operand<float>(),
                c = rounding_operand<float>();
    const Quad exact = Quad(a) * b + c;
    EXPECT_EQ(__nv_fmaf(a, b, c), rounded<float>(exact, Rounding::kNearest));
    EXPECT_EQ(__nv_fmaf_rn(a, b, c), rounded<float>(exact, Rounding::kNearest));
    EXPECT_EQ(__nv_fmaf_rz(a, b, c), rounded<float>(exact, Rounding::kTowardZero));
    EXPECT_EQ(__nv_fmaf_rd(a, b, c), rounded<float>(exact, Rounding::kDown));
    EXPECT_EQ(__nv_fmaf_ru(a, b, c), rounded<float>(exact, Rounding::kUp));
    EXPECT_EQ(__nv_fmaf_ieee_rn(a, b, c), __nv_fmaf_rn(a, b, c));
    EXPECT_EQ(__nv_fmaf_ieee_rz(a, b, c), __nv_fmaf_rz(a, b, c));
    EXPECT_EQ(__nv_fmaf_ieee_rd(a, b, c), __nv_fmaf_rd(a, b, c));
    EXPECT_EQ(__nv_fmaf_ieee_ru(a, b, c), __nv_fmaf_ru(a, b, c));
    const double x = a, y = b,
                 z = c;  // float's significands: quad holds the double's fma exactly, too
    EXPECT_EQ(__nv_fma(x, y, z), rounded<double>(exact, Rounding::kNearest));
    EXPECT_EQ(__nv_fma_rn(x, y, z), rounded<double>(exact, Rounding::kNearest));
    EXPECT_EQ(__nv_fma_rz(x, y, z), rounded<double>(exact, Rounding::kTowardZero));
    EXPECT_EQ(__nv_fma_rd(x, y, z), rounded<double>(exact, Rounding::kDown));
    EXPECT_EQ(__nv_fma_ru(x, y, z), rounded<double>(exact, Rounding::kUp));
  }
}

// --- conversions -------------------------------------------------------------------------------

template <typename Integer, typename Real>
Integer integer_from(Real value, Rounding mode) {
  using Limits = std::numeric_limits<Integer>;
  const long double whole =
      mode == Rounding::kNearest      ? std::nearbyint(static_cast<long double>(value))
      : mode == Rounding::kTowardZero ? std::trunc(static_cast<long double>(value))
      : mode == Rounding::kDown       ? std::floor(static_cast<long double>(value))
                                      : std::ceil(static_cast<long double>(value));
  if (whole < static_cast<long double>(Limits::min())) return Limits::min();
  if (whole > static_cast<long double>(Limits::max())) return Limits::max();
  return static_cast<Integer>(whole);
}

template <typename Integer, typename Real>
using ToInteger = Integer (*)(Real);

template <typename Integer, typename Real>
void expect_converted(ToInteger<Integer, Real> rn, ToInteger<Integer, Real> rz,
                      ToInteger<Integer, Real> rd, ToInteger<Integer, Real> ru) {
  for (int i = 0; i < kSamples / 5; ++i) {
    const int scale = static_cast<int>(random_bits()() % 80) - 70;
    const Real value = static_cast<Real>(
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random_bits()())), scale));
    EXPECT_EQ(rn(value), (integer_from<Integer, Real>(value, Rounding::kNearest))) << value;
    EXPECT_EQ(rz(value), (integer_from<Integer, Real>(value, Rounding::kTowardZero))) << value;
    EXPECT_EQ(rd(value), (integer_from<Integer, Real>(value, Rounding::kDown))) << value;
    EXPECT_EQ(ru(value), (integer_from<Integer, Real>(value, Rounding::kUp))) << value;
  }
}

TEST(DeviceMathExact, ConversionsToIntegersRoundAndSaturate) {
  expect_converted<int, float>(RADDLE_FOUR(__nv_float2int));
  expect_converted<unsigned int, float>(RADDLE_FOUR(__nv_float2uint));
  expect_converted<long long, float>(RADDLE_FOUR(__nv_float2ll));
  expect_converted<unsigned long long, float>(RADDLE_FOUR(__nv_float2ull));
  expect_converted<int, double>(RADDLE_FOUR(__nv_double2int));
  expect_converted<unsigned int, double>(RADDLE_FOUR(__nv_double2uint));
  expect_converted<long long, double>(RADDLE_FOUR(__nv_double2ll));
  expect_converted<unsigned long long, double>(RADDLE_FOUR(__nv_double2ull));
  EXPECT_EQ(__nv_float2int_rn(2.5f), 2);
  EXPECT_EQ(__nv_float2int_rz(NAN), 0);
  EXPECT_EQ(__nv_double2int_rz(NAN), INT_MIN);
  EXPECT_EQ(__nv_float2ll_rz(NAN), LLONG_MIN);
  EXPECT_EQ(__nv_float2uint_rz(-1.0f), 0u);
  EXPECT_EQ(__nv_double2ull_rz(INFINITY), ULLONG_MAX);
}

template <typename Real, typename Source>
void expect_converted_back(Real (*rn)(Source), Real (*rz)(Source), Real (*rd)(Source),
                           Real (*ru)(Source)) {
  for (int i = 0; i < kSamples / 5; ++i) {
    const Source value = static_cast<Source>(random_bits()() >> (random_bits()() % 40));
    EXPECT_EQ(rn(value), rounded<Real>(value, Rounding::kNearest)) << value;
    EXPECT_EQ(rz(value), rounded<Real>(value, Rounding::kTowardZero)) << value;
    EXPECT_EQ(rd(value), rounded<Real>(value, Rounding::kDown)) << value;
    EXPECT_EQ(ru(value), rounded<Real>(value, Rounding::kUp)) << value;
  }
}

TEST(DeviceMathExact, ConversionsFromIntegersRoundAsTheirNamesSay) {
  expect_converted_back<float, int>(RADDLE_FOUR(__nv_int2float));
  expect_converted_back<float, unsigned int>(RADDLE_FOUR(__nv_uint2float));
  expect_converted_back<float, long long>(RADDLE_FOUR(__nv_ll2float));
  expect_converted_back<float, unsigned long long>(RADDLE_FOUR(__nv_ull2float));
  expect_converted_back<double, long long>(RADDLE_FOUR(__nv_ll2double));
  expect_converted_back<double, unsigned long long>(RADDLE_FOUR(__nv_ull2double));
  EXPECT_EQ(__nv_int2double_rn(INT_MIN), -2147483648.0);
  EXPECT_EQ(__nv_uint2double_rn(UINT_MAX), 4294967295.0);
  for (int i = 0; i < kSamples; ++i) {
    const double x = i % 2 == 0 ? moderate() : any_double();
    if (std::isnan(x)) continue;
    expect_same(__nv_double2float_rn(x), rounded<float>(x, Rounding::kNearest), "double2float_rn");
    EXPECT_EQ(__nv_double2float_rz(x), rounded<float>(x, Rounding::kTowardZero)) << x;
    EXPECT_EQ(__nv_double2float_rd(x), rounded<float>(x, Rounding::kDown)) << x;
    EXPECT_EQ(__nv_double2float_ru(x), rounded<float>(x, Rounding::kUp)) << x;
  }
}

TEST(DeviceMathExact, BitsAreReinterpretedNotConverted) {
  EXPECT_EQ(__nv_float_as_int(1.0f), 0x3f800000);
  EXPECT_EQ(__nv_float_as_uint(-1.0f), 0xbf800000u);
  EXPECT_EQ(__nv_int_as_float(0x40000000), 2.0f);
  EXPECT_EQ(__nv_uint_as_float(0xc0000000u), -2.0f);
  EXPECT_EQ(__nv_double_as_longlong(1.0), 0x3ff0000000000000ull);
  EXPECT_EQ(__nv_longlong_as_double(0x4000000000000000ll), 2.0);
  EXPECT_EQ(__nv_double2hiint(-1.0), static_cast<int>(0xbff00000u));
  EXPECT_EQ(__nv_double2loint(0x1.00000deadbeefp0), static_cast<int>(0xdeadbeefu));
  EXPECT_EQ(__nv_hiloint2double(0x3ff00000, 1), 0x1.0000000000001p0);
}

TEST(DeviceMathExact, HalfPrecisionGoesThereAndBack) {
  EXPECT_EQ(__nv_float2half_rn(1.0f), 0x3c00);
  EXPECT_EQ(__nv_float2half_rn(65504.0f), 0x7bff);
  EXPECT_EQ(__nv_float2half_rn(65520.0f), 0x7c00);
  EXPECT_EQ(__nv_float2half_rn(0x1p-24f), 0x0001);
  EXPECT_EQ(__nv_float2half_rn(1.0f + 0x1p-11f), 0x3c00);  // a tie, to even
  for (unsigned int bits = 0; bits < 0x7c00; ++bits) {
    ASSERT_EQ(__nv_float2half_rn(__nv_half2float(static_cast<unsigned short>(bits))), bits);
  }
}

}  // namespace
}  // namespace raddle::libdevice
