// The warps of one multiprocessor: what each waits for, as sets of warps (one bit a warp), and when
// those whose wait has a known end go on. A warp is ready, or waits for exactly one thing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/exec/warp_state.h"
#include "machine/simt/issue_table.h"
#include "machine/simt/slot_use.h"
#include "sim/clock.h"

namespace raddle::machine::simt {

struct ResidentBlock;

using WarpSet = std::uint64_t;
inline constexpr std::uint32_t kMaxWarps = 64;
constexpr WarpSet set_of(std::uint32_t warp) { return WarpSet{1} << warp; }

// Without the instruction for it, which not every host has, std::popcount is a call.
constexpr std::uint32_t count_warps(WarpSet set) {
  if (set == 0) return 0;
  set -= set >> 1 & 0x5555555555555555;
  set = (set & 0x3333333333333333) + (set >> 2 & 0x3333333333333333);
  set = (set + (set >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<std::uint32_t>(set * 0x0101010101010101 >> 56);
}

// When a register can be used and what it comes from, in one number: cycle · 4 + source.
class PendingResult {
 public:
  enum Source : std::uint64_t { kAlu = 0, kSfu = 1, kShared = 2, kMemory = 3 };
  constexpr PendingResult() = default;
  constexpr PendingResult(Cycle cycle, Source source) : value_(cycle.count() << 2 | source) {}
  // Nobody knows when it will be there.
  static constexpr PendingResult unknown(Source source) { return {kUnknown, source}; }

  constexpr Cycle cycle() const { return Cycle(value_ >> 2); }
  constexpr bool is_unknown() const { return cycle() == kUnknown; }
  constexpr SlotUse cause() const {
    constexpr std::array kCauses{SlotUse::kAlu, SlotUse::kSfu, SlotUse::kSharedMemory,
                                 SlotUse::kMemory};
    return kCauses[value_ & 3];
  }
  constexpr auto operator<=>(const PendingResult&) const = default;

 private:
  static constexpr Cycle kUnknown{(std::uint64_t{1} << 62) - 1};
  std::uint64_t value_ = 0;
};

// Two warps of 32 lanes that issue as one of 64 (wide_warp.h).
struct WideWarp;

struct alignas(64) WarpContext {
  // What every instruction needs comes first, on one line of the host's cache.
  ResidentBlock* block = nullptr;  // null: the slot is free
  kernel::exec::WarpState* state = nullptr;
  const IssueInfo* next = nullptr;  // null: waits at a barrier or has ended
  std::uint32_t place = 0;          // of `next` in the issue table
  std::uint32_t buffered = 0;       // instructions in its buffer, `next` the first of them
  bool fetching = false;
  bool ended = false;
  SlotUse cause = SlotUse::kNoWarp;      // what it waits for; kIssued: ready
  Unit unit = Unit::kSp;                 // of `next`
  std::uint32_t loads = 0;               // memory instructions whose result is not there
  std::vector<PendingResult> registers;  // by scoreboard entry
  std::uint32_t stores = 0;              // not yet acknowledged
  std::uint32_t polls = 0;               // since the last look for deadlocks
  Cycle asleep_until;                    // nanosleep
  std::uint64_t age = 0;                 // smaller is older
  Cycle since;                           // when what it waits for began
  bool lent = false;                     // in a context of a neighbour
  bool lent_registers = false;           // and with registers and collectors there
  WideWarp* wide = nullptr;              // null: a warp of 32 lanes
};

// When slots are to be looked at again. A slot is one bit of a Set.
template <class Set>
class LookWheel {
 public:
  // In that cycle, which is not the present one. Far ones are looked at before their time.
  void add(Set slots, Cycle cycle, Cycle now) {
    const std::size_t place = place_of(std::min(cycle, now + kFarthest));
    wheel_[place] |= slots;
    marked_[place / 64] |= std::uint64_t{1} << place % 64;
  }
  // Those of this cycle.
  Set take(Cycle now) {
    const std::size_t place = place_of(now);
    marked_[place / 64] &= ~(std::uint64_t{1} << place % 64);
    return std::exchange(wheel_[place], 0);
  }
  // The first cycle after `now` in which there is one; kNever if there is none.
  Cycle next(Cycle now) const {
    const std::uint64_t first = now.count() + 1;
    for (std::uint64_t step = 0; step <= kWheel / 64; ++step) {
      const std::uint64_t from = step == 0 ? first : first / 64 * 64 + step * 64;
      const std::uint64_t word = marked_[from % kWheel / 64] >> from % 64;
      if (word != 0) return Cycle(from + static_cast<std::uint64_t>(std::countr_zero(word)));
    }
    return sim::kNever;
  }

 private:
  static constexpr std::size_t kWheel = 256;
  static constexpr Cycle kFarthest{kWheel - 1};
  static std::size_t place_of(Cycle cycle) { return cycle.count() % kWheel; }

  std::array<Set, kWheel> wheel_{};
  std::array<std::uint64_t, kWheel / 64> marked_{};
};

class WarpTable {
 public:
  using Slots = WarpSet;                // of all warps
  static constexpr bool kLent = false;  // warps of 32 lanes in contexts of its own

  explicit WarpTable(std::uint32_t warps, std::uint32_t /*schedulers*/ = 1) : warps_(warps) {}

  WarpContext& operator[](std::uint32_t warp) { return warps_[warp]; }
  const WarpContext& operator[](std::uint32_t warp) const { return warps_[warp]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(warps_.size()); }
  // Where a scheduler finds its warps, and a slot by its place there.
  const WarpTable& of(std::size_t /*scheduler*/) const { return *this; }
  std::uint32_t slot_of(std::size_t /*scheduler*/, std::uint32_t place) const { return place; }

  WarpSet ready() const { return waiting_[static_cast<std::size_t>(SlotUse::kIssued)]; }
  WarpSet waiting(SlotUse cause) const { return waiting_[static_cast<std::size_t>(cause)]; }
  // The warps whose next instruction is for the unit.
  WarpSet wants(Unit unit) const { return wants_[static_cast<std::size_t>(unit)]; }
  // Whether a warp is ready, one for the load/store unit left out if so asked.
  bool any_ready(bool without_memory) const {
    WarpSet ready_now = ready();
    if (without_memory) ready_now &= ~wants(Unit::kMemory);
    return ready_now != 0;
  }

  // kIssued: it is ready.
  void set_cause(std::uint32_t warp, SlotUse cause) {
    WarpContext& context = warps_[warp];
    waiting_[static_cast<std::size_t>(context.cause)] &= ~set_of(warp);
    waiting_[static_cast<std::size_t>(cause)] |= set_of(warp);
    context.cause = cause;
  }
  void set_unit(std::uint32_t warp, Unit unit) {
    WarpContext& context = warps_[warp];
    wants_[static_cast<std::size_t>(context.unit)] &= ~set_of(warp);
    wants_[static_cast<std::size_t>(unit)] |= set_of(warp);
    context.unit = unit;
  }
  void add(std::uint32_t warp) { set_cause(warp, SlotUse::kFetch); }
  void remove(std::uint32_t warp) {
    waiting_[static_cast<std::size_t>(warps_[warp].cause)] &= ~set_of(warp);
    warps_[warp].cause = SlotUse::kNoWarp;
  }

  // Has the warp looked at again in that cycle.
  void look_at(std::uint32_t warp, Cycle cycle, Cycle now) { wheel_.add(set_of(warp), cycle, now); }
  WarpSet take_due(Cycle now) { return wheel_.take(now); }
  Cycle next_due(Cycle now) const { return wheel_.next(now); }

 private:
  std::vector<WarpContext> warps_;
  std::array<WarpSet, kSlotUses.size()> waiting_{};
  std::array<WarpSet, 3> wants_{};
  LookWheel<WarpSet> wheel_;
};

}  // namespace raddle::machine::simt
