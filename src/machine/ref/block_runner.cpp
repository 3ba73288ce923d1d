#include "machine/ref/block_runner.h"

#include "kernel/exec/warp_interpreter.h"
#include "machine/resident_blocks.h"

namespace raddle::machine::ref {

BlockRunner::BlockRunner(kernel::exec::GridState& grid, Counts& counts, RunLimits& limits,
                         LaunchChecks& checks)
    : grid_(grid), counts_(counts), limits_(limits), block_(grid), checks_(checks) {
  if (checks_.init) checked_.init.emplace(block_.shared_bytes());
  if (!checks_.races) return;
  checked_.races.emplace(*checks_.races, block_.shared_bytes());
  block_.listen(checked_.races->order);
}

void BlockRunner::begin(std::uint64_t block_number) {
  block_.begin(block_number);
  if (checked_.races) checked_.races->order.begin(static_cast<std::uint32_t>(block_number));
  if (checked_.init) checked_.init->begin();
  next_warp_ = 0;
  if (counts_.communication) writers_.assign((block_.shared_bytes() + 3) / 4, 0);
}

bool BlockRunner::run(std::int64_t slice) {
  CountingObserver counting(counts_, grid_.clock, limits_.last_cycle, writers_);
  if (!checks_.races && !checks_.init) return run_observed(slice, counting);
  CheckingObserver checking(counting, checks_, checked_);
  return run_observed(slice, checking);
}

template <class Observer>
bool BlockRunner::run_observed(std::int64_t slice, Observer& observer) {
  const auto run_warp = [&](kernel::exec::WarpState& warp, std::int64_t& turn) {
    kernel::exec::WarpInterpreter interpreter(grid_, block_, warp, observer);
    try {
      return interpreter.run(turn);
    } catch (const LimitReached&) {
      interpreter.run_part_of_block(counts_.cut.instructions);
      throw;
    }
  };
  const auto look = [&] {
    const Cycle now(grid_.clock);
    if (now < limits_.next_look) return;
    limits_.next_look = now + kCyclesBetweenLooks;
    limits_.look();
  };
  return run_slice_of(block_, next_warp_, slice, run_warp, look);
}

}  // namespace raddle::machine::ref
