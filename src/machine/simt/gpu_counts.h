// Everything that the parts of a GPU have counted, in one struct that can be subtracted: what a
// launch did is what was counted at its end less what was counted at its start.
#pragma once

#include <cstdint>

#include "machine/simt/load_store_unit.h"
#include "machine/simt/slot_use.h"
#include "memory/cache_stats.h"
#include "memory/memory_system.h"

namespace raddle::machine::simt {

class SmCore;

// What a multiprocessor counts itself; its parts count the rest.
struct CoreCounts {
  SlotAccount slots;
  Cycle busy_cycles;               // with a block resident
  Cycle warp_cycles;               // resident warps, summed over cycles
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t thread_instructions = 0;
  std::uint64_t lent_instructions = 0;  // of these, by warps in a neighbour's contexts
  std::uint64_t wide_instructions = 0;  // for 64 lanes, both halves together
  std::uint64_t half_instructions = 0;  // of a wide warp, one half alone
};

struct GpuCounts : CoreCounts, memory::MemorySystemCounts {
  Cycle register_bank_conflicts;
  Cycle sp_busy;
  Cycle sfu_busy;
  LoadStoreStats load_store;
  memory::CacheStats l1, lent_l1, constant, texture, instruction;

  GpuCounts& operator-=(const GpuCounts& earlier);
};

// Adds what one multiprocessor has counted.
void add_core(GpuCounts& all, const SmCore& core);

}  // namespace raddle::machine::simt
