// Where in a thread's part of the live-value cache each value lies. Values that are never needed at
// the same time share a place, so that more threads fit.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/module.h"

namespace raddle::machine::cgra {

// What a piece does with live values, which are called by the register that they hold.
struct PieceLiveValues {
  std::vector<kernel::RegisterId> reads;
  std::vector<kernel::RegisterId> writes;    // at least by some of its threads
  std::vector<kernel::RegisterId> replaces;  // of the writes: by all of its threads
  std::vector<std::uint32_t> next;           // pieces that its threads go to
};

struct LiveValuePlaces {
  std::map<kernel::RegisterId, std::uint32_t> words;  // first word of each value
  std::uint32_t total = 0;                            // words of a thread
};

// Only values that some piece writes have a place. Within a piece threads read and write in any
// order, so all values that it touches or that only pass it by have places of their own.
LiveValuePlaces place_live_values(const std::vector<PieceLiveValues>& pieces,
                                  const std::vector<kernel::Register>& registers);

}  // namespace raddle::machine::cgra
