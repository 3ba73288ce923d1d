#include "machine/cgra/fabric_counts.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::array<std::string_view, kUnitUses> kUseNames{
    "fired",  "operand missing", "consumer full", "link busy",
    "memory", "no thread",       "reconfiguring", "not mapped"};

}  // namespace

std::string_view name_of(UnitUse use) { return kUseNames[static_cast<std::size_t>(use)]; }

FabricCounts& FabricCounts::operator+=(const FabricCounts& other) {
  for (std::size_t unit = 0; unit < cycles.size(); ++unit) {
    for (std::size_t use = 0; use < kUnitUses; ++use) cycles[unit][use] += other.cycles[unit][use];
    firings[unit] += other.firings[unit];
  }
  tokens += other.tokens;
  l1_banks += other.l1_banks;
  scratchpad += other.scratchpad;
  live_values += other.live_values;
  l1 += other.l1;
  l1_refused += other.l1_refused;
  return *this;
}

FabricCounts& FabricCounts::operator-=(const FabricCounts& earlier) {
  for (std::size_t unit = 0; unit < cycles.size(); ++unit) {
    for (std::size_t use = 0; use < kUnitUses; ++use)
      cycles[unit][use] -= earlier.cycles[unit][use];
    firings[unit] -= earlier.firings[unit];
  }
  tokens = tokens - earlier.tokens;
  l1_banks = l1_banks - earlier.l1_banks;
  scratchpad = scratchpad - earlier.scratchpad;
  live_values = live_values - earlier.live_values;
  l1 = l1 - earlier.l1;
  l1_refused -= earlier.l1_refused;
  memory -= earlier.memory;
  return *this;
}

}  // namespace raddle::machine::cgra
