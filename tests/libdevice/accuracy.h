// How the accuracy tests of host and device measure a function: which arguments they try, how far a
// result lies from the oracle's, and what the CUDA guide allows there. A row of accuracy_table.inc
// becomes a Row; only how it is evaluated differs between the two. Valid C++17, because nvcc's
// dialect compiles it as the host part of a CUDA program.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "oracles.h"

namespace raddle::accuracy {

// The distance between numbers of type Real around an exact value.
template <typename Real>
long double ulp_at(long double exact) {
  using Limits = std::numeric_limits<Real>;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int lowest = Limits::min_exponent;
  return std::ldexp(1.0L, (exponent < lowest || exact == 0 ? lowest : exponent) - Limits::digits);
}

// --- what the guide allows -----------------------------------------------------------------------

struct Bound {
  enum class Kind { kUlps, kAbsolute, kNone };
  Kind kind;
  long double size;
};
inline Bound ulp(long double count) { return {Bound::Kind::kUlps, count}; }
inline Bound absolute(long double error) { return {Bound::Kind::kAbsolute, error}; }
inline Bound unbounded() { return {Bound::Kind::kNone, HUGE_VALL}; }
// Correctly rounded: what exceeds one half is the oracle's own rounding.
inline Bound rounded() { return ulp(0.501L); }

constexpr long double kPi = 3.14159265358979323846L;

// The guide gives __tanf(x) as __sinf(x) * (1 / __cosf(x)), with their errors and the division's.
inline Bound tangent_of_intrinsics(long double x) {
  const long double error = std::exp2(-21.41L);
  const long double sine = std::fabs(std::sin(x));
  const long double cosine = std::fabs(std::cos(x));
  if (!(std::fabs(x) <= kPi) || cosine < 2 * error) return unbounded();
  const long double worst = (sine + error) / (cosine - error);
  return absolute(worst - sine / cosine + 2 * ulp_at<float>(worst));
}

// The guide gives __powf(x, y) as exp2f(y * __log2f(x)): the logarithm's error grows with y, and
// ln 2 times the error of the exponent is the relative error of the power.
inline Bound power_of_intrinsics(long double x, long double y) {
  if (!(x > 0) || std::isinf(x) || !std::isfinite(y)) return unbounded();
  const long double logarithm = std::log2(x);
  const long double log_error = x >= 0.5L && x <= 2 ? 0x1p-22L : 2 * ulp_at<float>(logarithm);
  const long double exponent_error = std::fabs(y) * log_error + ulp_at<float>(y * logarithm) / 2;
  return ulp(2 + std::expm1(exponent_error * 0.69314718055994530942L) * 0x1p24L);
}

// --- how far off a result is ---------------------------------------------------------------------

template <typename Real>
long double error_in_ulp(Real actual, long double exact) {
  const Real rounded = static_cast<Real>(exact);
  // A zero that stands for a tiny number has the sign of that number.
  if (actual == 0 && std::signbit(actual) != std::signbit(exact)) return HUGE_VALL;
  if (std::isinf(rounded) || std::isinf(actual)) {
    if (rounded == actual) return 0;
    // One of them overflowed: the other must be at the brink.
    const long double finite = std::isinf(rounded) ? static_cast<long double>(actual) : exact;
    const bool same_sign = std::signbit(rounded) == std::signbit(actual);
    const long double largest = std::numeric_limits<Real>::max();
    return same_sign ? (largest - std::fabs(finite)) / ulp_at<Real>(largest) + 0.5L : HUGE_VALL;
  }
  return std::fabs(static_cast<long double>(actual) - exact) / ulp_at<Real>(exact);
}

// In the unit of the bound.
template <typename Real>
long double error_of(Real actual, long double exact, const Bound& bound) {
  if (bound.kind == Bound::Kind::kNone) return 0;
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) && std::isnan(actual) ? 0.0L : HUGE_VALL;
  if (bound.kind == Bound::Kind::kUlps) return error_in_ulp(actual, exact);
  if (std::isinf(actual)) return static_cast<Real>(exact) == actual ? 0.0L : HUGE_VALL;
  return std::fabs(static_cast<long double>(actual) - exact);
}

// --- which arguments are tried -------------------------------------------------------------------

template <typename Real>
struct Interval {
  Real low;
  Real high;
};

// An interval for each argument, flat as a row of the table writes them.
template <typename Real, std::size_t kArity>
struct Box;
template <typename Real>
struct Box<Real, 1> {
  Real low, high;
  std::array<Interval<Real>, 1> sides() const { return {{{low, high}}}; }
};
template <typename Real>
struct Box<Real, 2> {
  Real low_x, high_x, low_y, high_y;
  std::array<Interval<Real>, 2> sides() const { return {{{low_x, high_x}, {low_y, high_y}}}; }
};

// Numbers of an interval in two ways: evenly over the line, and evenly over the representations, so
// that small magnitudes get their share.
template <typename Real>
class Sampler {
 public:
  Sampler(Interval<Real> interval, unsigned int seed)
      : low_(interval.low), high_(interval.high), random_(seed) {}

  Real next() {
    ++count_;
    if (count_ == 1) return low_;
    if (count_ == 2) return high_;
    if (count_ % 2 == 0) {
      const long double t = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
      return static_cast<Real>(low_ + t * (static_cast<long double>(high_) - low_));
    }
    const std::int64_t first = position(low_);
    const std::int64_t last = position(high_);
    return at(std::uniform_int_distribution<std::int64_t>(first, last)(random_));
  }

 private:
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

  // The place of a number in the order of all numbers, zero at zero.
  static std::int64_t position(Real value) {
    const Real size = std::fabs(value);
    Bits bits;
    std::memcpy(&bits, &size, sizeof bits);
    const auto place = static_cast<std::int64_t>(bits);
    return std::signbit(value) ? -place : place;
  }
  static Real at(std::int64_t place) {
    const auto bits = static_cast<Bits>(place < 0 ? -place : place);
    Real value;
    std::memcpy(&value, &bits, sizeof value);
    return place < 0 ? -value : value;
  }

  Real low_;
  Real high_;
  std::mt19937_64 random_;
  int count_ = 0;
};

// NaN, zeros, infinities, the ends of the normal and denormal ranges, and numbers at which
// functions have poles, exact values or overflow; each with both signs.
template <typename Real>
std::vector<Real> special_values() {
  using Limits = std::numeric_limits<Real>;
  const Real smallest = Limits::min();
  const std::vector<Real> sizes = {0,
                                   Limits::denorm_min(),
                                   smallest / 1024,
                                   smallest - Limits::denorm_min(),
                                   smallest,
                                   Limits::epsilon() / 4,
                                   Real(0.5),
                                   1,
                                   Real(1.5),
                                   2,
                                   3,
                                   100,
                                   180,
                                   250,
                                   800,
                                   1500,
                                   Real(1e6),
                                   Limits::max(),
                                   Limits::infinity()};
  std::vector<Real> values = {Limits::quiet_NaN()};
  for (const Real size : sizes) {
    values.push_back(size);
    values.push_back(-size);
  }
  return values;
}

// Where sine and cosine are hard: next to multiples of pi/2, above all the numbers of each
// precision that come nearest to one (Muller, "Elementary Functions"), and where the reduction
// changes.
template <typename Real>
std::vector<Real> hard_angles() {
  const std::vector<Real> angles = {Real(1.57079632679489661923L),
                                    Real(3.14159265358979323846L),
                                    Real(105615),
                                    Real(105616),
                                    Real(0x1p24),
                                    Real(0x1p30),
                                    Real(16367173 * 0x1p72),
                                    Real(6381956970095103 * (sizeof(Real) == 4 ? 1 : 0x1p797)),
                                    std::numeric_limits<Real>::max() / 3};
  std::vector<Real> values;
  for (const Real angle : angles) {
    values.push_back(angle);
    values.push_back(-angle);
  }
  return values;
}

// --- rows ----------------------------------------------------------------------------------------

template <typename Real, std::size_t kArity>
struct Row {
  using Arguments = std::array<Real, kArity>;
  using Exact = std::array<long double, kArity>;

  std::string name;
  std::vector<Real> (*evaluate)(const std::vector<Arguments>&);
  long double (*oracle)(const Exact&);
  Bound (*bound)(const Exact&);
  std::vector<Box<Real, kArity>> intervals;
};

// A row from the columns of accuracy_table.inc; x and y are the arguments in its bound.
#define RADDLE_ROW1(Real, name, evaluate, function, bound, ...)                 \
  ::raddle::accuracy::Row<Real, 1> {                                            \
    name, evaluate,                                                             \
        [](const std::array<long double, 1>& at) -> long double {               \
          return ::raddle::oracles::function(at[0]);                            \
        },                                                                      \
        [](const std::array<long double, 1>& at) -> ::raddle::accuracy::Bound { \
          using namespace ::raddle::accuracy;                                   \
          [[maybe_unused]] const long double x = at[0];                         \
          return bound;                                                         \
        },                                                                      \
    {                                                                           \
      __VA_ARGS__                                                               \
    }                                                                           \
  }
#define RADDLE_ROW2(Real, name, evaluate, function, bound, ...)                 \
  ::raddle::accuracy::Row<Real, 2> {                                            \
    name, evaluate,                                                             \
        [](const std::array<long double, 2>& at) -> long double {               \
          return ::raddle::oracles::function(at[0], at[1]);                     \
        },                                                                      \
        [](const std::array<long double, 2>& at) -> ::raddle::accuracy::Bound { \
          using namespace ::raddle::accuracy;                                   \
          [[maybe_unused]] const long double x = at[0];                         \
          [[maybe_unused]] const long double y = at[1];                         \
          return bound;                                                         \
        },                                                                      \
    {                                                                           \
      __VA_ARGS__                                                               \
    }                                                                           \
  }

// Every special value, or every pair of them, and then the samples of each interval.
template <typename Real, std::size_t kArity>
std::vector<std::array<Real, kArity>> arguments_of(const Row<Real, kArity>& row, int samples) {
  std::vector<Real> special = special_values<Real>();
  for (const Real angle : hard_angles<Real>()) special.push_back(angle);
  std::vector<std::array<Real, kArity>> all;
  for (const Real a : special) {
    if constexpr (kArity == 1) {
      all.push_back({a});
    } else {
      for (const Real b : special) all.push_back({a, b});
    }
  }
  for (const Box<Real, kArity>& box : row.intervals) {
    std::vector<Sampler<Real>> samplers;
    for (const Interval<Real>& side : box.sides())
      samplers.emplace_back(side, static_cast<unsigned int>(kArity + samplers.size()));
    for (int i = 0; i < samples; ++i) {
      std::array<Real, kArity> point;
      for (std::size_t k = 0; k < kArity; ++k) point[k] = samplers[k].next();
      all.push_back(point);
    }
  }
  return all;
}

// --- measuring -----------------------------------------------------------------------------------

// Whether the function under test may take and give zero for a denormal.
enum class Denormals { kKept, kFlushed };

// The worst result of a row, relative to what is allowed where it was found.
struct Measurement {
  long double error = 0;
  Bound bound = ulp(1);
  std::string where;
  std::size_t arguments = 0;
  std::size_t beyond = 0;  // how many of them were off by more than is allowed

  bool within() const { return beyond == 0; }
  std::string text() const {
    char buffer[96];
    const bool in_ulp = bound.kind == Bound::Kind::kUlps;
    std::snprintf(buffer, sizeof buffer, ": off by %.4Lg%s, %.4Lg allowed", error,
                  in_ulp ? " ulp" : "", bound.size);
    return where + buffer;
  }
};

template <typename Real>
std::string text_of(Real value) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, "%a (%.*Lg)", static_cast<double>(value),
                sizeof(Real) == 4 ? 9 : 17, static_cast<long double>(value));
  return buffer;
}

template <typename Real>
Real flushed(Real value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(Real{0}, value) : value;
}

struct Judgement {
  long double exact = 0;
  Bound bound = ulp(1);
  long double error = 0;

  long double share() const { return error == 0 ? 0 : error / bound.size; }
};

template <typename Real, std::size_t kArity>
Judgement judged(const Row<Real, kArity>& row, const std::array<Real, kArity>& arguments,
                 Real actual, Denormals denormals) {
  std::array<long double, kArity> at;
  for (std::size_t i = 0; i < kArity; ++i) at[i] = arguments[i];
  Judgement judgement{row.oracle(at), row.bound(at), 0};
  const bool vanished = denormals == Denormals::kFlushed && actual == 0 &&
                        std::fabs(judgement.exact) < std::numeric_limits<Real>::min();
  if (!vanished) judgement.error = error_of(actual, judgement.exact, judgement.bound);
  return judgement;
}

template <typename Real, std::size_t kArity>
Measurement measured(const Row<Real, kArity>& row, int samples,
                     Denormals denormals = Denormals::kKept) {
  const auto arguments = arguments_of(row, samples);
  const std::vector<Real> results = row.evaluate(arguments);
  Measurement worst;
  worst.arguments = arguments.size();
  long double worst_share = -1;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Judgement judgement = judged(row, arguments[i], results[i], denormals);
    if (denormals == Denormals::kFlushed && judgement.share() > 1) {
      std::array<Real, kArity> zeroed = arguments[i];
      for (Real& argument : zeroed) argument = flushed(argument);
      const Judgement other = judged(row, zeroed, results[i], denormals);
      if (other.share() <= 1) judgement = other;
    }
    if (!(judgement.share() <= 1)) ++worst.beyond;
    if (judgement.share() <= worst_share) continue;
    worst_share = judgement.share();
    worst.error = judgement.error;
    worst.bound = judgement.bound;
    worst.where = row.name + "(" + text_of(arguments[i][0]);
    for (std::size_t k = 1; k < kArity; ++k) worst.where += ", " + text_of(arguments[i][k]);
    worst.where +=
        ") is " + text_of(results[i]) + ", expected " + text_of(static_cast<Real>(judgement.exact));
  }
  return worst;
}

// RADDLE_LIBDEVICE_SAMPLES sets the number of arguments of each interval, for a deeper search.
inline int sample_count(int usual) {
  const char* text = std::getenv("RADDLE_LIBDEVICE_SAMPLES");
  return text == nullptr ? usual : std::atoi(text);
}

// With RADDLE_LIBDEVICE_VERBOSE, how near to its bound every function comes.
inline void print_if_asked(const Measurement& worst) {
  if (std::getenv("RADDLE_LIBDEVICE_VERBOSE") != nullptr) std::printf("%s\n", worst.text().c_str());
}

}  // namespace raddle::accuracy
