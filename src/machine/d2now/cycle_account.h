// Where a node's time went: every tick from the start of the program to its end, by cause.
#pragma once

#include <array>
#include <cstdint>

#include "machine/d2now/d2now_parameters.h"

namespace raddle::machine::d2now {

enum class Cause : std::uint8_t {
  kExecution,  // threads' own instructions
  kCache,      // … waiting for the L2 or memory
  kOverhead,   // from thread to thread: firing queue, acknowledgement queue, values handed over
  kTsu,        // ready threads existed, but the TSU had not yet issued one
  kNetwork,    // what the next thread needed was on its way from another node
  kWork,       // what the next thread needed had not been computed, or nothing was left to do
};
inline constexpr std::size_t kCauses = 6;

struct CycleAccount {
  std::array<Ticks, kCauses> ticks{};

  void add(Cause cause, Ticks duration) { ticks[static_cast<std::size_t>(cause)] += duration; }
  Ticks operator[](Cause cause) const { return ticks[static_cast<std::size_t>(cause)]; }
  Ticks sum() const {
    Ticks all = 0;
    for (const Ticks part : ticks) all += part;
    return all;
  }
};

}  // namespace raddle::machine::d2now
