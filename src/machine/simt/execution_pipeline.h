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
    std::uint32_t sp_units = 0;
    std::uint32_t results = 0;
  };

  class Collectors {
   public:
    explicit Collectors(std::uint32_t count) : collectors_(count) {}
    // The cycle from which on one of them is free.
    Cycle next_free() const { return next_free_; }
    // Whether that one has all operands before it has a unit.
    bool next_waits_for_unit() const { return collectors_[next_].waits_for_unit; }
    // Takes it until that cycle.
    void take_until(Cycle cycle, bool waits_for_unit);

   private:
    struct Collector {
      Cycle free;
      bool waits_for_unit = false;
    };
    std::vector<Collector> collectors_;
    std::size_t next_ = 0;  // the one that is free first
    Cycle next_free_;
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
  // Of the cycles from now on.
  Slot& slot(Cycle cycle) { return slots_[cycle.count() & slot_mask_]; }
  template <class Banks>
  Cycle read_operands(const IssueInfo& info, const Banks& place, Cycle from);
  Cycle reserve_sp(Cycle from, Cycle interval);
  Cycle reserve_sfu(Cycle from, Cycle interval);

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
