// Runs a resident thread block in slices, so that blocks which wait for each other all make
// progress.
#pragma once

#include <cstdint>
#include <functional>

#include "kernel/exec/thread_block.h"
#include "machine/ref/checking_observer.h"
#include "machine/ref/counting.h"

namespace raddle::machine::ref {

// What all blocks of a launch observe while they run.
struct RunLimits {
  Cycle last_cycle;            // the clock of the grid does not pass it
  std::function<void()> look;  // called now and then; may throw
  Cycle next_look{};           // at this cycle
};

class BlockRunner {
 public:
  BlockRunner(kernel::exec::GridState& grid, Counts& counts, RunLimits& limits,
              LaunchChecks& checks);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // Makes this the block with the given number, from the start.
  void begin(std::uint64_t block_number);
  // Runs until all threads ended, the slice of warp instructions is used up, or no warp gets on
  // because all wait for other blocks. True: finished. Throws LimitReached at the cycle limit.
  bool run(std::int64_t slice);
  const kernel::exec::ThreadBlock& block() const { return block_; }

 private:
  template <class Observer>
  bool run_observed(std::int64_t slice, Observer& observer);

  kernel::exec::GridState& grid_;
  Counts& counts_;
  RunLimits& limits_;
  kernel::exec::ThreadBlock block_;
  Communication::Writers writers_;  // empty unless communication is tracked
  LaunchChecks& checks_;
  BlockChecks checked_;
  std::size_t next_warp_ = 0;
};

}  // namespace raddle::machine::ref
