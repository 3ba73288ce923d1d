// Measures every inexact function of the device math library on the host against an oracle of much
// higher precision, over the intervals and bounds of accuracy_table.inc. RADDLE_LIBDEVICE_SAMPLES
// sets the number of arguments of each row, for a deeper search than the few seconds that the
// default takes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "oracles.h"
#include "raddle/cuda/libdevice/libdevice.h"

namespace raddle::libdevice {
namespace {

int sample_count() {
  const char* text = std::getenv("RADDLE_LIBDEVICE_SAMPLES");
  return text == nullptr ? 5000 : std::atoi(text);
}

// The distance between numbers of type Real around an exact value.
template <typename Real>
long double ulp_at(long double exact) {
  using Limits = std::numeric_limits<Real>;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int lowest = Limits::min_exponent;
  return std::ldexp(1.0L, (exponent < lowest || exact == 0 ? lowest : exponent) - Limits::digits);
}

template <typename Real>
long double error_in_ulp(Real actual, long double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0.0L : HUGE_VALL;
  if (std::isnan(actual)) return HUGE_VALL;
  const Real rounded = static_cast<Real>(exact);
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

// Numbers of an interval in two ways: evenly over the line, and evenly over the representations, so
// that small magnitudes get their share.
template <typename Real>
class Sampler {
 public:
  Sampler(Real low, Real high, unsigned int seed) : low_(low), high_(high), random_(seed) {}

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
  static constexpr int kBits = 8 * sizeof(Real);
  // The place of a number in the order of all numbers, zero at zero.
  static std::int64_t position(Real value) {
    const std::int64_t size = static_cast<std::int64_t>(bits_of(std::fabs(value)));
    return std::signbit(value) ? -size : size;
  }
  static Real at(std::int64_t place) {
    const auto size = static_cast<std::uint64_t>(place < 0 ? -place : place);
    Real value;
    if constexpr (kBits == 32) {
      value = float_from_bits(static_cast<unsigned int>(size));
    } else {
      value = double_from_bits(size);
    }
    return place < 0 ? -value : value;
  }

  Real low_;
  Real high_;
  std::mt19937_64 random_;
  int count_ = 0;
};

struct Measurement {
  long double error = 0;
  std::string where;
};

template <typename Real>
std::string text_of(Real value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%a (%.17g)", static_cast<double>(value),
                static_cast<double>(value));
  return buffer;
}

template <typename Real>
struct Row1 {
  const char* name;
  Real (*function)(Real);
  long double (*oracle)(long double);
  long double bound;
  bool absolute;
  Real low;
  Real high;
};
template <typename Real>
struct Row2 {
  const char* name;
  Real (*function)(Real, Real);
  long double (*oracle)(long double, long double);
  long double bound;
  Real low_a, high_a, low_b, high_b;
};

template <typename Real>
Measurement measured(const Row1<Real>& row) {
  Sampler<Real> sampler(row.low, row.high, 1);
  Measurement worst;
  for (int i = 0; i < sample_count(); ++i) {
    const Real x = sampler.next();
    const Real actual = row.function(x);
    const long double exact = row.oracle(x);
    const long double error =
        row.absolute ? std::fabs(actual - exact) : error_in_ulp(actual, exact);
    if (!(error <= worst.error)) {
      worst.error = error;
      worst.where = text_of(x) + " gives " + text_of(actual) + ", not " + text_of(exact);
    }
  }
  return worst;
}

template <typename Real>
Measurement measured(const Row2<Real>& row) {
  Sampler<Real> sampler_a(row.low_a, row.high_a, 2);
  Sampler<Real> sampler_b(row.low_b, row.high_b, 3);
  Measurement worst;
  for (int i = 0; i < sample_count(); ++i) {
    const Real a = sampler_a.next();
    const Real b = sampler_b.next();
    const Real actual = row.function(a, b);
    const long double exact = row.oracle(a, b);
    const long double error = error_in_ulp(actual, exact);
    if (!(error <= worst.error)) {
      worst.error = error;
      worst.where =
          text_of(a) + ", " + text_of(b) + " gives " + text_of(actual) + ", not " + text_of(exact);
    }
  }
  return worst;
}

template <typename Row>
void expect_all_within_bounds(const std::vector<Row>& rows) {
  const bool verbose = std::getenv("RADDLE_LIBDEVICE_VERBOSE") != nullptr;
  for (const Row& row : rows) {
    const Measurement worst = measured(row);
    if (verbose) {
      std::printf("%-16s %10.4Lg of %6.4Lg  at %s\n", row.name, worst.error, row.bound,
                  worst.where.c_str());
    }
    EXPECT_LE(worst.error, row.bound) << row.name << " at " << worst.where;
  }
}

TEST(DeviceMathAccuracy, SinglePrecisionFunctionsOfOneArgumentKeepTheirBounds) {
  const std::vector<Row1<float>> rows = {
#define RADDLE_FLOAT1(cuda, name, oracle, bound, low, high) \
  {#cuda, name, oracles::oracle, bound, false, low, high},
#define RADDLE_FLOAT1_ABSOLUTE(cuda, name, oracle, bound, low, high) \
  {#cuda, name, oracles::oracle, bound, true, low, high},
#include "accuracy_table.inc"
  };
  expect_all_within_bounds(rows);
}

TEST(DeviceMathAccuracy, SinglePrecisionFunctionsOfTwoArgumentsKeepTheirBounds) {
  const std::vector<Row2<float>> rows = {
#define RADDLE_FLOAT2(cuda, name, oracle, bound, low_a, high_a, low_b, high_b) \
  {#cuda, name, oracles::oracle, bound, low_a, high_a, low_b, high_b},
#include "accuracy_table.inc"
  };
  expect_all_within_bounds(rows);
}

TEST(DeviceMathAccuracy, DoublePrecisionFunctionsOfOneArgumentKeepTheirBounds) {
  const std::vector<Row1<double>> rows = {
#define RADDLE_DOUBLE1(cuda, name, oracle, bound, low, high) \
  {#cuda, name, oracles::oracle, bound, false, low, high},
#define RADDLE_DOUBLE1_ABSOLUTE(cuda, name, oracle, bound, low, high) \
  {#cuda, name, oracles::oracle, bound, true, low, high},
#include "accuracy_table.inc"
  };
  expect_all_within_bounds(rows);
}

TEST(DeviceMathAccuracy, DoublePrecisionFunctionsOfTwoArgumentsKeepTheirBounds) {
  const std::vector<Row2<double>> rows = {
#define RADDLE_DOUBLE2(cuda, name, oracle, bound, low_a, high_a, low_b, high_b) \
  {#cuda, name, oracles::oracle, bound, low_a, high_a, low_b, high_b},
#include "accuracy_table.inc"
  };
  expect_all_within_bounds(rows);
}

}  // namespace
}  // namespace raddle::libdevice
