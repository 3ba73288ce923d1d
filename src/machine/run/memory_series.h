// What a machine with a memory::MemorySystem samples of its caches and DRAM.
#pragma once

#include <vector>

#include "machine/run/sampler.h"
#include "memory/cache_stats.h"
#include "memory/memory_system.h"

namespace raddle::machine {

// Places in SampleSums::counts; the machine's own counts follow.
enum MemoryCount : std::size_t {
  kDramBytes,
  kDramBusy,
  kL1Hits,
  kL1Accesses,
  kL2Hits,
  kL2Accesses,
  kMemoryCounts
};

std::vector<double> memory_counts(const memory::DramStats& dram, const memory::CacheStats& l1,
                                  const memory::CacheStats& l2,
                                  const memory::MemorySystemSpec& spec);
std::vector<SeriesSpec> memory_series(const memory::MemorySystemSpec& spec);

}  // namespace raddle::machine
