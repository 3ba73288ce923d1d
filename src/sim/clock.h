// Simulated time and the clocks that divide it. Clocks of different frequency (core, interconnect,
// DRAM) meet on one time line that counts femtoseconds, so that a run never depends on rounding:
// tick n of a clock of f hertz falls on floor(n · 10^15 / f).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/units.h"

namespace raddle::sim {

using Instant = Quantity<struct FemtosecondUnit, std::uint64_t>;

inline constexpr Cycle kNever{std::numeric_limits<std::uint64_t>::max()};
inline constexpr Instant kEndOfTime{std::numeric_limits<std::uint64_t>::max()};

class Clock {
 public:
  // Whole hertz, at least one.
  Clock(std::string name, Hertz frequency);

  const std::string& name() const { return name_; }
  Hertz frequency() const { return Hertz(static_cast<double>(hertz_)); }

  // When a tick falls; kEndOfTime for kNever and for what comes after the end of the time line.
  Instant time_of(Cycle cycle) const {
    if (is_narrow(cycle.count())) return Instant(narrow_time_of(cycle.count()));
    return wide_time_of(cycle);
  }
  // The first tick that does not fall before the instant; kNever for kEndOfTime.
  Cycle first_from(Instant instant) const {
    // A guess that is off by one at most, and what is exact about it. Ticks are told from each
    // other by their time, so one that falls on the instant is the first.
    const auto guess = static_cast<std::uint64_t>(static_cast<double>(instant.count()) * rate_) + 1;
    if (!is_narrow(guess + 1)) return wide_first_from(instant);
    std::uint64_t cycle = guess;
    std::uint64_t time = narrow_time_of(cycle);
    while (time < instant.count()) time = narrow_time_of(++cycle);
    while (time > instant.count() && cycle > 0 && narrow_time_of(cycle - 1) >= instant.count())
      time = narrow_time_of(--cycle);
    return Cycle(cycle);
  }
  // A stretch of this clock's cycles in time, rounded down.
  Instant span(Cycle cycles) const { return time_of(cycles); }

 private:
  // Cycles of 31 bits and frequencies of 32 need no wide numbers, whose division takes its time.
  bool is_narrow(std::uint64_t cycle) const { return narrow_ && cycle >> 31 == 0; }
  std::uint64_t narrow_time_of(std::uint64_t cycle) const {
    // cycle · rest_ / hertz_, without a division: a quotient of 31 bits that is guessed in floating
    // point is off by one at most.
    const auto product = static_cast<std::int64_t>(cycle * rest_);
    const auto hertz = static_cast<std::int64_t>(hertz_);
    auto quotient = static_cast<std::int64_t>(static_cast<double>(product) * hertz_inverse_);
    const std::int64_t left = product - quotient * hertz;
    quotient += static_cast<std::int64_t>(left >= hertz) - static_cast<std::int64_t>(left < 0);
    return cycle * whole_ + static_cast<std::uint64_t>(quotient);
  }
  Instant wide_time_of(Cycle cycle) const;
  Cycle wide_first_from(Instant instant) const;

  std::string name_;
  std::uint64_t hertz_;
  std::uint64_t whole_ = 0;  // femtoseconds of a cycle, and hertz_ times what is left
  std::uint64_t rest_ = 0;
  double rate_ = 0;  // cycles a femtosecond
  double hertz_inverse_ = 0;
  bool narrow_ = false;
};

// The cycle of `to` in which something is seen that happened at cycle `at` of `from`: the same
// cycle for one clock, the next edge for another.
Cycle cross(const Clock& from, Cycle at, const Clock& to);

}  // namespace raddle::sim
