#include "machine/cgra/fabric/fabric_counts.h"

namespace raddle::machine::cgra {

FabricCounts& FabricCounts::operator+=(const FabricCounts& other) {
  for (std::size_t unit = 0; unit < cycles.size(); ++unit) {
    cycles[unit] += other.cycles[unit];
    firings[unit] += other.firings[unit];
  }
  tokens += other.tokens;
  l1_banks += other.l1_banks;
  scratchpad += other.scratchpad;
  live_values += other.live_values;
  prefetches += other.prefetches;
  l1 += other.l1;
  l1_refused += other.l1_refused;
  return *this;
}

FabricCounts& FabricCounts::operator-=(const FabricCounts& earlier) {
  for (std::size_t unit = 0; unit < cycles.size(); ++unit) {
    cycles[unit] -= earlier.cycles[unit];
    firings[unit] -= earlier.firings[unit];
  }
  tokens = tokens - earlier.tokens;
  l1_banks = l1_banks - earlier.l1_banks;
  scratchpad = scratchpad - earlier.scratchpad;
  live_values = live_values - earlier.live_values;
  prefetches = prefetches - earlier.prefetches;
  l1 = l1 - earlier.l1;
  l1_refused -= earlier.l1_refused;
  memory -= earlier.memory;
  return *this;
}

}  // namespace raddle::machine::cgra
