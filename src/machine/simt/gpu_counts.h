// Everything that the parts of a GPU have counted, in one struct that can be subtracted: what a
// launch did is what was counted at its end less what was counted at its start.
#pragma once

#include <cstdint>

#include "machine/simt/load_store_unit.h"
#include "machine/simt/stall_cause.h"
#include "memory/cache_stats.h"
#include "memory/crossbar_ends.h"
#include "memory/dram.h"
#include "memory/memory_partition.h"

namespace raddle::machine::simt {

class SmCore;

struct GpuCounts {
  SlotUses slots{};
  std::uint64_t busy_cycles = 0;  // of cores
  std::uint64_t warp_cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t lent_instructions = 0;
  std::uint64_t wide_instructions = 0;
  std::uint64_t half_instructions = 0;
  std::uint64_t register_bank_conflicts = 0;
  std::uint64_t sp_busy = 0;
  std::uint64_t sfu_busy = 0;
  LoadStoreStats load_store;
  memory::CacheStats l1, lent_l1, constant, texture, instruction, l2;
  memory::MemoryPartitionStats partitions;
  memory::CrossbarStats request_network, reply_network;
  memory::DramStats dram;

  GpuCounts& operator-=(const GpuCounts& earlier);
};

// What one multiprocessor has counted.
void add_core(GpuCounts& counts, const SmCore& core);

}  // namespace raddle::machine::simt
