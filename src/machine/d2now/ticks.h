// The machine's time. A cycle of the processor has kTicksPerCycle ticks, so that units with other
// clocks need no fractions.
#pragma once

#include <cstdint>
#include <limits>

#include "base/units.h"
#include "ddm/recording/recording.h"

namespace raddle::machine::d2now {

using ddm::recording::kTicksPerCycle;

using Ticks = Quantity<struct TicksUnit, std::uint64_t>;

inline constexpr Ticks kCycle{kTicksPerCycle};  // of the processor
inline constexpr Ticks kForever{std::numeric_limits<std::uint64_t>::max()};

constexpr Ticks ticks_of(Cycle cycles) { return cycles.count() * kCycle; }
// Rounded up.
constexpr Cycle whole_cycles(Ticks ticks) { return Cycle((ticks + kCycle - Ticks(1)) / kCycle); }
// With its fraction.
constexpr double cycles_of(Ticks ticks) { return ticks.as_double() / kTicksPerCycle; }

// kForever stays so.
constexpr Ticks after(Ticks time, Ticks duration) {
  return duration >= kForever - time ? kForever : time + duration;
}

}  // namespace raddle::machine::d2now
