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
  void come_to(std::uint64_t now) {
    for (const std::uint64_t end = std::min(now, now_ + slots_.size()); now_ < end; ++now_)
      slot(now_) = {};
    now_ = std::max(now_, now);
  }
  // Whether an instruction of that unit (SP or SFU) finds an operand collector.
  bool has_collector(Unit unit, std::uint64_t now) const {
    return (unit == Unit::kSfu ? sfu_collectors_ : sp_collectors_).next_free() <= now;
  }
  // Whether it is the unit that keeps the collectors from getting free.
  bool unit_is_behind(Unit unit, std::uint64_t now) const;
  // Sends an instruction on its way; returns the first cycle in which its result can be used. Comes
  // to `now`, as the next one does.
  std::uint64_t issue(const IssueInfo& info, std::uint32_t warp, std::uint64_t now);
  // The operands of an instruction for the load/store unit: the cycle in which it has them all.
  std::uint64_t collect(const IssueInfo& info, std::uint32_t warp, std::uint64_t now);
  // The same for a warp whose registers and collectors are a neighbour's.
  bool has_lent_collector(Unit unit, std::uint64_t now) const {
    return (unit == Unit::kSfu ? lent_sfu_collectors_ : lent_sp_collectors_).next_free() <= now;
  }
  std::uint64_t issue_lent(const IssueInfo& info, std::uint32_t warp, std::uint64_t now);
  std::uint64_t collect_lent(const IssueInfo& info, std::uint32_t warp, std::uint64_t now);
  // A result that is there in cycle `at`, from memory, which has not passed; returns the first
  // cycle in which it can be used.
  std::uint64_t write_back(const IssueInfo& info, std::uint32_t warp, std::uint64_t at);
  std::uint64_t write_back_lent(const IssueInfo& info, std::uint32_t warp, std::uint64_t at);

  std::uint64_t bank_conflicts() const { return bank_conflicts_; }
  std::uint64_t sp_busy() const { return sp_busy_; }
  std::uint64_t sfu_busy() const { return sfu_busy_; }

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
    std::uint64_t next_free() const { return next_free_; }
    // Whether that one has all operands before it has a unit.
    bool next_waits_for_unit() const { return collectors_[next_].waits_for_unit; }
    // Takes it until that cycle.
    void take_until(std::uint64_t cycle, bool waits_for_unit);

   private:
    struct Collector {
      std::uint64_t free = 0;
      bool waits_for_unit = false;
    };
    std::vector<Collector> collectors_;
    std::size_t next_ = 0;  // the one that is free first
    std::uint64_t next_free_ = 0;
  };

  // Where registers of a warp lie: its own banks, or a neighbour's, which stand behind them.
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
  std::uint64_t issue_to(const IssueInfo& info, const Banks& banks, Collectors& sp, Collectors& sfu,
                         std::uint64_t now);
  template <class Banks>
  std::uint64_t write_to(const IssueInfo& info, const Banks& banks, std::uint64_t at);
  // Of the cycles from now on.
  Slot& slot(std::uint64_t cycle) { return slots_[cycle & slot_mask_]; }
  template <class Banks>
  std::uint64_t read_operands(const IssueInfo& info, const Banks& place, std::uint64_t from);
  std::uint64_t reserve_sp(std::uint64_t from, std::uint32_t interval);
  std::uint64_t reserve_sfu(std::uint64_t from, std::uint32_t interval);

  const CoreParameters& parameters_;
  std::uint32_t bank_mask_;  // banks are a power of two
  std::uint32_t all_sp_units_;
  std::uint64_t slot_mask_;  // of a ring that goes beyond the last cycle booked
  std::uint64_t now_ = 0;
  std::vector<Slot> slots_;
  Collectors sp_collectors_;
  Collectors sfu_collectors_;
  Collectors lent_sp_collectors_;
  Collectors lent_sfu_collectors_;
  std::vector<std::uint64_t> sfu_free_;  // by unit
  std::uint64_t bank_conflicts_ = 0;
  std::uint64_t sp_busy_ = 0;
  std::uint64_t sfu_busy_ = 0;
};

}  // namespace raddle::machine::simt
