// Simulated time of a trace: that of the machine, which begins anew when a launch was stopped.
#pragma once

#include <cstdint>

#include "sim/clock.h"

namespace raddle::machine {

// Cycles between a launch that was stopped and what comes: longer than an instruction or an access
// that had begun takes.
inline constexpr std::uint64_t kTraceCyclesBehindStop = 64;

struct TraceTime {
  sim::Clock clock;
  sim::Instant start{0};

  sim::Instant of(std::uint64_t cycle) const { return start + clock.time_of(Cycle(cycle)); }
};

}  // namespace raddle::machine
