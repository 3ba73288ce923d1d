#include "machine/memory_figures.h"

#include <algorithm>
#include <utility>

namespace raddle::machine {

MemoryTraffic cache_traffic(std::string level, const memory::CacheStats& stats) {
  MemoryTraffic traffic;
  traffic.level = std::move(level);
  traffic.load_accesses = stats.loads;
  traffic.store_accesses = stats.stores;
  traffic.atomic_accesses = stats.atomics;
  traffic.bytes_read = stats.bytes_read;
  traffic.bytes_written = stats.bytes_written;
  traffic.hits = stats.hits;
  traffic.misses = stats.misses + stats.merged;
  return traffic;
}

MemoryTraffic dram_traffic(const memory::DramStats& stats, const memory::DramSpec& dram) {
  MemoryTraffic traffic;
  traffic.level = "DRAM";
  traffic.outermost = true;
  traffic.load_accesses = stats.reads;
  traffic.store_accesses = stats.writes;
  const std::uint64_t burst = dram.timing.burst_bytes().count();
  traffic.bytes_read = stats.read_bursts * std::min(burst, dram.read_sector.count());
  traffic.bytes_written = stats.write_bursts * burst;
  traffic.hits = stats.row_hits;
  traffic.misses = stats.row_misses + stats.row_conflicts;
  return traffic;
}

}  // namespace raddle::machine
