// Energy events that machines count alike: what an instruction does in functional units, what
// caches, networks and DRAM did, how long cores were powered.
#pragma once

#include <cstdint>

#include "energy/energy.h"
#include "kernel/instruction.h"
#include "memory/cache_stats.h"
#include "memory/memory_system.h"

namespace raddle::machine {

// What one instruction does in the units, for one thread.
energy::EventCounts unit_events(const kernel::Instruction& instruction);

// An access reads tags and data side by side, hit or miss; a line that comes is written, a dirty
// one that leaves is read.
void add_cache(energy::EventCounts& events, const memory::CacheStats& stats, energy::Event read,
               energy::Event write);
// L2, networks and DRAM.
void add_memory_system(energy::EventCounts& events, const memory::MemorySystemCounts& counts);

// A set gives a core's power as a whole or by its parts. One that has it as a whole is charged that
// alone; of any other all parts are wanted, so that a set that lacks one is refused.
energy::EventCounts powered_cores(Seconds time, std::uint32_t cores,
                                  const energy::CoefficientSet& set);

}  // namespace raddle::machine
