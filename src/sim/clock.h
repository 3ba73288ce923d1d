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

  // When a tick falls; kEndOfTime for kNever and for what lies behind the end of the time line.
  Instant time_of(Cycle cycle) const;
  // The first tick that does not fall before the instant; kNever for kEndOfTime.
  Cycle first_from(Instant instant) const;
  // A stretch of this clock's cycles in time, rounded down.
  Instant span(Cycle cycles) const { return time_of(cycles); }

 private:
  std::string name_;
  std::uint64_t hertz_;
};

// The cycle of `to` in which something is seen that happened at cycle `at` of `from`: the same
// cycle for one clock, the next edge for another.
Cycle cross(const Clock& from, Cycle at, const Clock& to);

}  // namespace raddle::sim
