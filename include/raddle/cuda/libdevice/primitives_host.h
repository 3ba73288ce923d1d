// The host half of primitives.h: each PTX instruction emulated with the same results, so that tests
// can run the library without a device. Directed rounding is the host's own, switched for one
// operation; the special function unit's approximations are the correctly rounded-ish functions of
// the C library.
#pragma once

#include <cfenv>
#include <cmath>
#include <limits>

namespace raddle::libdevice {

// The operands pass through volatile variables: the compiler must neither fold the operation nor
// move it over the changes of rounding mode, of which it knows nothing.
template <typename Operation>
__attribute__((noinline)) auto with_rounding(int mode, Operation operation) {
  const int previous = std::fegetround();
  std::fesetround(mode);
  auto result = operation();
  std::fesetround(previous);
  return result;
}

#define RADDLE_EACH_ROUNDING(define) \
  define(rn, FE_TONEAREST) define(rz, FE_TOWARDZERO) define(rd, FE_DOWNWARD) define(ru, FE_UPWARD)

#define RADDLE_ARITHMETIC_ON(Real, cuda, mode)                      \
  inline Real add_##cuda(Real a, Real b) {                          \
    if constexpr (mode == FE_TONEAREST) return a + b;               \
    volatile Real x = a, y = b;                                     \
    return with_rounding(mode, [&]() -> Real {                      \
      volatile Real r = x + y;                                      \
      return r;                                                     \
    });                                                             \
  }                                                                 \
  inline Real sub_##cuda(Real a, Real b) {                          \
    if constexpr (mode == FE_TONEAREST) return a - b;               \
    volatile Real x = a, y = b;                                     \
    return with_rounding(mode, [&]() -> Real {                      \
      volatile Real r = x - y;                                      \
      return r;                                                     \
    });                                                             \
  }                                                                 \
  inline Real mul_##cuda(Real a, Real b) {                          \
    if constexpr (mode == FE_TONEAREST) return a * b;               \
    volatile Real x = a, y = b;                                     \
    return with_rounding(mode, [&]() -> Real {                      \
      volatile Real r = x * y;                                      \
      return r;                                                     \
    });                                                             \
  }                                                                 \
  inline Real div_##cuda(Real a, Real b) {                          \
    if constexpr (mode == FE_TONEAREST) return a / b;               \
    volatile Real x = a, y = b;                                     \
    return with_rounding(mode, [&]() -> Real {                      \
      volatile Real r = x / y;                                      \
      return r;                                                     \
    });                                                             \
  }                                                                 \
  inline Real rcp_##cuda(Real a) { return div_##cuda(Real{1}, a); } \
  inline Real sqrt_##cuda(Real a) {                                 \
    if constexpr (mode == FE_TONEAREST) return std::sqrt(a);        \
    volatile Real x = a;                                            \
    return with_rounding(mode, [&]() -> Real {                      \
      volatile Real r = std::sqrt(x);                               \
      return r;                                                     \
    });                                                             \
  }                                                                 \
  inline Real fma_##cuda(Real a, Real b, Real c) {                  \
    if constexpr (mode == FE_TONEAREST) return std::fma(a, b, c);   \
    volatile Real x = a, y = b, z = c;                              \
    return with_rounding(mode, [&]() -> Real {                      \
      volatile Real r = std::fma(x, y, z);                          \
      return r;                                                     \
    });                                                             \
  }
#define RADDLE_ARITHMETIC(cuda, mode)     \
  RADDLE_ARITHMETIC_ON(float, cuda, mode) \
  RADDLE_ARITHMETIC_ON(double, cuda, mode)
RADDLE_EACH_ROUNDING(RADDLE_ARITHMETIC)
#undef RADDLE_ARITHMETIC
#undef RADDLE_ARITHMETIC_ON

// cvt from float to integer saturates. NaN becomes zero unless either side has 64 bits, and the
// integer with only the top bit set otherwise (PTX ISA, "cvt").
template <typename Integer, typename Real>
inline Integer convert_to_integer(int mode, Real value) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(value)) {
    const bool wide = sizeof(Real) == 8 || sizeof(Integer) == 8;
    return wide ? static_cast<Integer>(1ull << (8 * sizeof(Integer) - 1)) : Integer{0};
  }
  const Real whole = mode == FE_TONEAREST    ? std::nearbyint(value)
                     : mode == FE_TOWARDZERO ? std::trunc(value)
                     : mode == FE_DOWNWARD   ? std::floor(value)
                                             : std::ceil(value);
  // Both limits are exact as long double.
  const long double wide = whole;
  if (wide <= static_cast<long double>(Limits::min())) return Limits::min();
  if (wide >= static_cast<long double>(Limits::max())) return Limits::max();
  return static_cast<Integer>(whole);
}

// A 64-bit long double mantissa holds every source exactly, so that only the last step rounds.
template <typename Real, typename Source>
inline Real convert_to_real(int mode, Source value) {
  volatile long double exact = value;
  return with_rounding(mode, [&]() -> Real {
    volatile Real rounded = static_cast<Real>(exact);
    return rounded;
  });
}

#define RADDLE_CONVERSIONS(cuda, mode)                      \
  template <typename Source>                                \
  inline float to_float_##cuda(Source a) {                  \
    return convert_to_real<float>(mode, a);                 \
  }                                                         \
  template <typename Source>                                \
  inline double to_double_##cuda(Source a) {                \
    return convert_to_real<double>(mode, a);                \
  }                                                         \
  template <typename Real>                                  \
  inline int to_int_##cuda(Real a) {                        \
    return convert_to_integer<int>(mode, a);                \
  }                                                         \
  template <typename Real>                                  \
  inline unsigned int to_uint_##cuda(Real a) {              \
    return convert_to_integer<unsigned int>(mode, a);       \
  }                                                         \
  template <typename Real>                                  \
  inline long long to_longlong_##cuda(Real a) {             \
    return convert_to_integer<long long>(mode, a);          \
  }                                                         \
  template <typename Real>                                  \
  inline unsigned long long to_ulonglong_##cuda(Real a) {   \
    return convert_to_integer<unsigned long long>(mode, a); \
  }
RADDLE_EACH_ROUNDING(RADDLE_CONVERSIONS)
#undef RADDLE_CONVERSIONS
#undef RADDLE_EACH_ROUNDING

inline unsigned short to_half_rn(float a) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(a));
}
inline float from_half(unsigned short a) {
  return static_cast<float>(__builtin_bit_cast(_Float16, a));
}

inline float ex2_approx(float a) { return std::exp2(a); }
inline float lg2_approx(float a) { return std::log2(a); }
inline float sin_approx(float a) { return std::sin(a); }
inline float cos_approx(float a) { return std::cos(a); }
// div.approx gives zero for 2^126 < |b| < 2^128, and NaN if a is infinite there (PTX ISA, "div").
inline float div_approx(float a, float b) {
  const float size = std::fabs(b);
  return size > 0x1p126f && size <= std::numeric_limits<float>::max() ? a * 0.0f : a / b;
}
inline float rsqrt_approx(float a) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
}
inline double rsqrt_approx(double a) { return 1.0 / std::sqrt(a); }
// Only the upper half of the double takes part.
inline double rcp_approx_ftz(double a) {
  const double flushed =
      std::fabs(a) < std::numeric_limits<double>::min() ? std::copysign(0.0, a) : a;
  const double source = double_from_bits(bits_of(flushed) & 0xffffffff00000000ull);
  const double result = double_from_bits(bits_of(1.0 / source) & 0xffffffff00000000ull);
  return std::fabs(result) < std::numeric_limits<double>::min() ? std::copysign(0.0, a) : result;
}
// cvt.sat sends NaN to zero.
inline float saturate(float a) { return a >= 0.0f ? (a > 1.0f ? 1.0f : a + 0.0f) : 0.0f; }

inline int population_count(unsigned int a) { return __builtin_popcount(a); }
inline int population_count(unsigned long long a) { return __builtin_popcountll(a); }
inline int leading_zeros(unsigned int a) { return a == 0 ? 32 : __builtin_clz(a); }
inline int leading_zeros(unsigned long long a) { return a == 0 ? 64 : __builtin_clzll(a); }
template <typename Word>
inline Word reversed_bits(Word a) {
  Word result = 0;
  for (unsigned int i = 0; i < 8 * sizeof(Word); ++i)
    result |= ((a >> i) & 1) << (8 * sizeof(Word) - 1 - i);
  return result;
}
// prmt: each selector nibble picks one of the eight bytes of b:a, or its sign bit eight times over.
inline unsigned int permute_bytes(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int nibble = selector >> (4 * i);
    unsigned int byte = static_cast<unsigned int>(bytes >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline int mul24(int a, int b) {
  const auto low = [](int v) {
    return static_cast<long long>(static_cast<int>(static_cast<unsigned int>(v) << 8) >> 8);
  };
  return static_cast<int>(low(a) * low(b));
}
inline unsigned int mul24(unsigned int a, unsigned int b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
inline int mul_high(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
inline unsigned int mul_high(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline long long mul_high(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline unsigned long long mul_high(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline int absolute_difference_plus(int a, int b, int c) {
  const unsigned int difference = a > b
                                      ? static_cast<unsigned int>(a) - static_cast<unsigned int>(b)
                                      : static_cast<unsigned int>(b) - static_cast<unsigned int>(a);
  return static_cast<int>(static_cast<unsigned int>(c) + difference);
}
inline unsigned int absolute_difference_plus(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a > b ? a - b : b - a);
}

}  // namespace raddle::libdevice
