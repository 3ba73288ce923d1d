// From issue to write-back of instructions that do not access memory: operand collectors, register
// banks, units and result ports. All of these are given out at issue, for the cycles to come: an
// operand takes the first cycle in which its bank is free, the instruction the first in which a
// unit is, its result the first free port. So nothing has to be ticked, and the time of every
// result is known when its instruction is issued.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "machine/simt/gpu_parameters.h"
#include "machine/simt/issue_table.h"

namespace raddle::machine::simt {

class ExecutionPipeline {
 public:
  explicit ExecutionPipeline(const CoreParameters& parameters);

  // Time has come to this cycle and does not go back: what was taken before it is forgotten.
  void come_to(Cycle now) {
    for (const Cycle end = std::min(now, now_ + Cycle(slots_.size())); now_ < end; ++now_)
      slot(now_) = {};
    now_ = std::max(now_, now);
  }
  // Whether an instruction of that unit (SP or SFU) finds an operand collector.
  bool has_collector(Unit unit, Cycle now) const {
    return (unit == Unit::kSfu ? sfu_collectors_ : sp_collectors_).next_free() <= now;
  }
  // Whether it is the unit that keeps the collectors from getting free.
  bool unit_is_behind(Unit unit, Cycle now) const;
  // Sends an instruction on its way; returns the first cycle in which its result can be used. Comes
  // to `now`, as the next one does.
  Cycle issue(const IssueInfo& info, std::uint32_t warp, Cycle now);
  // The operands of an instruction for the load/store unit: the cycle in which it has them all.
  Cycle collect(const IssueInfo& info, std::uint32_t warp, Cycle now);
  // The same for a warp whose registers and collectors are a neighbour's.
  bool has_lent_collector(Unit unit, Cycle now) const {
    return (unit == Unit::kSfu ? lent_sfu_collectors_ : lent_sp_collectors_).next_free() <= now;
  }
  Cycle issue_lent(const IssueInfo& info, std::uint32_t warp, Cycle now);
  Cycle collect_lent(const IssueInfo& info, std::uint32_t warp, Cycle now);
  // A result that is there in cycle `at`, from memory, which has not passed; returns the first
  // cycle in which it can be used.
  Cycle write_back(const IssueInfo& info, std::uint32_t warp, Cycle at);
  Cycle write_back_lent(const IssueInfo& info, std::uint32_t warp, Cycle at);

  Cycle bank_conflicts() const { return bank_conflicts_; }
  Cycle sp_busy() const { return sp_busy_; }
  Cycle sfu_busy() const { return sfu_busy_; }

 private:
  // What is taken in one cycle.
  struct Slot {
    std::uint64_t banks = 0;
    std::uint16_t sp_units = 0;    // a bit for each
    std::uint16_t sp_results = 0;  // a bit for each unit that gives one
    std::uint16_t results = 0;
    std::uint16_t memory_results = 0;
  };

  // In the order in which they get free, the lower number first.
  class Collectors {
   public:
    explicit Collectors(std::uint32_t count);
    // The cycle from which on one of them is free.
    Cycle next_free() const { return ring_[first_].free; }
    // Whether that one has all operands before it has a unit.
    bool next_waits_for_unit() const { return ring_[first_].waits_for_unit; }
    // Takes it until that cycle.
    void take_until(Cycle cycle, bool waits_for_unit);

   private:
    struct Collector {
      Cycle free;
      std::uint32_t number = 0;
      bool waits_for_unit = false;
    };
    std::uint32_t count_;
    std::uint32_t mask_;
    std::uint32_t first_ = 0;
    std::vector<Collector> ring_;  // a power of two
  };

  // Where registers of a warp lie: its own banks, or a neighbour's, which stand after them.
  struct OwnBanks {
    std::uint32_t warp, mask;
    std::uint64_t bank(std::uint32_t reg) const {
      return std::uint64_t{1} << ((reg + warp) & mask);
    }
  };
  struct LentBanks {
    std::uint32_t warp, mask, first;
    std::uint64_t bank(std::uint32_t reg) const {
      return std::uint64_t{1} << (first + ((reg + warp) & mask));
    }
  };
  OwnBanks own_banks(std::uint32_t warp) const { return {warp, bank_mask_}; }
  LentBanks lent_banks(std::uint32_t warp) const {
    return {warp, parameters_.lent.register_banks - 1, parameters_.register_banks};
  }

  template <class Banks>
  Cycle issue_to(const IssueInfo& info, const Banks& banks, Collectors& sp, Collectors& sfu,
                 Cycle now);
  template <class Banks>
  Cycle write_to(const IssueInfo& info, const Banks& banks, Cycle at);
  template <class Banks>
  Cycle write_loaded(const IssueInfo& info, const Banks& banks, Cycle at);
  // Of the cycles from now on.
  Slot& slot(Cycle cycle) { return slots_[cycle.count() & slot_mask_]; }
  template <class Banks>
  Cycle read_operands(const IssueInfo& info, const Banks& place, Cycle from);
  // From when on the unit works, so that its result finds a port.
  Cycle reserve_sp(const IssueInfo& info, Cycle from);
  Cycle reserve_sfu(const IssueInfo& info, Cycle from);

  const CoreParameters& parameters_;
  std::uint32_t bank_mask_;  // banks are a power of two
  std::uint32_t all_sp_units_;
  std::uint64_t slot_mask_;  // of a ring that goes beyond the last cycle booked
  Cycle now_;
  std::vector<Slot> slots_;
  Collectors sp_collectors_;
  Collectors sfu_collectors_;
  Collectors lent_sp_collectors_;
  Collectors lent_sfu_collectors_;
  std::vector<Cycle> sfu_free_;  // by unit
  Cycle bank_conflicts_;
  Cycle sp_busy_;
  Cycle sfu_busy_;
};

}  // namespace raddle::machine::simt
