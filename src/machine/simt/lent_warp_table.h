// The warps of a multiprocessor that uses contexts of a neighbour: more than one set of 64 holds,
// so each scheduler has a table of its own. Its policy sees places in that table; slots, which
// count through all schedulers in turns, are what the rest of the multiprocessor knows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "machine/simt/warp_table.h"

namespace raddle::machine::simt {

__extension__ using WideSet = unsigned __int128;
inline constexpr std::uint32_t kMaxSlots = 128;

// One bit of a set, and the lowest bit of one that is not empty.
template <class Set>
constexpr Set bit_of(std::uint32_t slot) {
  return Set{1} << slot;
}
constexpr std::uint32_t lowest_of(WarpSet set) {
  return static_cast<std::uint32_t>(std::countr_zero(set));
}
constexpr std::uint32_t lowest_of(WideSet set) {
  const auto low = static_cast<std::uint64_t>(set);
  return low != 0 ? lowest_of(low) : 64 + lowest_of(static_cast<std::uint64_t>(set >> 64));
}

class LentWarpTable {
 public:
  using Slots = WideSet;
  static constexpr bool kLent = true;

  LentWarpTable(std::uint32_t warps, std::uint32_t schedulers)
      : size_(warps), tables_(schedulers, WarpTable((warps + schedulers - 1) / schedulers)) {}

  WarpContext& operator[](std::uint32_t slot) { return table(slot)[place(slot)]; }
  const WarpContext& operator[](std::uint32_t slot) const {
    return tables_[slot % tables_.size()][place(slot)];
  }
  std::uint32_t size() const { return size_; }
  const WarpTable& of(std::size_t scheduler) const { return tables_[scheduler]; }
  std::uint32_t slot_of(std::size_t scheduler, std::uint32_t place) const {
    return static_cast<std::uint32_t>(place * tables_.size() + scheduler);
  }

  bool any_ready(bool without_memory) const {
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](const WarpTable& table) { return table.any_ready(without_memory); });
  }

  void set_cause(std::uint32_t slot, SlotUse cause) { table(slot).set_cause(place(slot), cause); }
  void set_unit(std::uint32_t slot, Unit unit) { table(slot).set_unit(place(slot), unit); }
  void add(std::uint32_t slot) { table(slot).add(place(slot)); }
  void remove(std::uint32_t slot) { table(slot).remove(place(slot)); }

  void look_at(std::uint32_t slot, Cycle cycle, Cycle now) {
    wheel_.add(bit_of<WideSet>(slot), cycle, now);
  }
  WideSet take_due(Cycle now) { return wheel_.take(now); }
  Cycle next_due(Cycle now) const { return wheel_.next(now); }

 private:
  WarpTable& table(std::uint32_t slot) { return tables_[slot % tables_.size()]; }
  std::uint32_t place(std::uint32_t slot) const {
    return slot / static_cast<std::uint32_t>(tables_.size());
  }

  std::uint32_t size_;
  std::vector<WarpTable> tables_;  // by scheduler
  LookWheel<WideSet> wheel_;
};

}  // namespace raddle::machine::simt
