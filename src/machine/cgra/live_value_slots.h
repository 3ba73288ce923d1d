// Where a thread's live values lie in the live-value cache: values that are never needed at the
// same time share words.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/module.h"

namespace raddle::machine::cgra {

// What a piece does with live values.
struct LiveTraffic {
  std::vector<kernel::RegisterId> reads;
  std::vector<kernel::RegisterId> writes;      // by some threads or by all
  std::vector<kernel::RegisterId> overwrites;  // by all threads of the piece
  std::vector<std::uint32_t> next;             // pieces that threads go on to
};

struct LiveValueSlots {
  std::map<kernel::RegisterId, std::uint32_t> word;  // by value: its first word of four bytes
  std::uint32_t words = 0;                           // of a thread
};

LiveValueSlots place_live_values(const kernel::Function& function,
                                 const std::vector<LiveTraffic>& pieces);

}  // namespace raddle::machine::cgra
