// What the reference machine counts while it executes: an observer of the warp interpreter.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "kernel/exec/grid_state.h"
#include "machine/access_counters.h"
#include "machine/ref/communication.h"

namespace raddle::machine::ref {

// How often each block of a function ran, and how often guards kept lanes out. Classes follow from
// these at the end.
struct FunctionCounters {
  std::vector<std::uint64_t> block_warps;
  std::vector<std::uint64_t> block_threads;
  std::vector<std::uint64_t> skipped_threads;  // by instruction: active lanes whose guard was off
};

// One launch's counts.
struct Counts {
  explicit Counts(const kernel::exec::DecodedKernel& kernel)
      : accesses(kernel.memory_instructions) {
    for (const auto& function : kernel.functions) {
      FunctionCounters& counters = functions.emplace_back();
      counters.block_warps.resize(function->blocks.size());
      counters.block_threads.resize(function->blocks.size());
      counters.skipped_threads.resize(function->code.size());
    }
  }

  std::vector<FunctionCounters> functions;
  // The block that a run was stopped in: the first instructions of it have run once more.
  struct PartOfBlock {
    const FunctionCounters* function = nullptr;  // null: there is none
    kernel::BlockId block = 0;
    std::uint32_t instructions = 0;
    std::uint64_t threads = 0;
  };
  PartOfBlock cut;
  AccessCounters accesses;
  std::optional<Communication> communication;  // where asked for
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barrier_arrivals = 0;
};

// Thrown at the beginning of a block that ends beyond the cycle limit; Counts::cut says which.
struct LimitReached {};

class CountingObserver {
 public:
  CountingObserver(Counts& counts, std::uint64_t& clock, Cycle limit,
                   Communication::Writers& writers)
      : counts_(counts), clock_(clock), limit_(limit), writers_(writers) {}

  void in_function(std::size_t index) { here_ = &counts_.functions[index]; }
  // The reference machine issues one warp instruction a cycle.
  void begin_block(kernel::BlockId block, std::uint32_t instructions,
                   kernel::exec::LaneMask lanes) {
    const auto threads = static_cast<std::uint64_t>(
        lanes == kernel::exec::kAllLanes ? kernel::exec::kLanes : std::popcount(lanes));
    if (Cycle(instructions) > left()) cut(block, threads);
    ++here_->block_warps[block];
    here_->block_threads[block] += threads;
    clock_ += instructions;
  }
  void skip_lanes(std::uint32_t pc, kernel::exec::LaneMask lanes) {
    here_->skipped_threads[pc] += static_cast<std::uint64_t>(std::popcount(lanes));
  }
  void access(const kernel::exec::DecodedInstruction& instruction,
              const kernel::exec::WarpState& warp) {
    counts_.accesses.count(instruction, warp.lanes.access());
    if (counts_.communication) counts_.communication->note(instruction, warp, writers_);
  }
  void branch(bool divergent) {
    ++counts_.branches;
    counts_.divergent_branches += divergent ? 1 : 0;
  }
  void arrive_at_barrier() { ++counts_.barrier_arrivals; }
  void receive(const kernel::exec::DecodedInstruction& instruction, kernel::exec::LaneMask lanes) {
    if (counts_.communication) counts_.communication->note_receive(instruction, lanes);
  }

 private:
  Cycle left() const { return limit_ - Cycle(clock_); }
  [[noreturn, gnu::cold]] void cut(kernel::BlockId block, std::uint64_t threads) {
    counts_.cut = {here_, block, static_cast<std::uint32_t>(left().count()), threads};
    clock_ = limit_.count();
    throw LimitReached{};
  }

  Counts& counts_;
  std::uint64_t& clock_;  // as programs read it
  Cycle limit_;
  Communication::Writers& writers_;
  FunctionCounters* here_ = nullptr;
};

}  // namespace raddle::machine::ref
