// What caches and DRAM say of a launch, in the same way on every machine.
#pragma once

#include <string>

#include "machine/launch_result.h"
#include "memory/cache_stats.h"
#include "memory/dram.h"

namespace raddle::machine {

MemoryTraffic cache_traffic(std::string level, const memory::CacheStats& stats);
MemoryTraffic dram_traffic(const memory::DramStats& stats, const memory::DramSpec& dram);

}  // namespace raddle::machine
