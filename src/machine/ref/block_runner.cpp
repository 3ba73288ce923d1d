#include "machine/ref/block_runner.h"

#include <algorithm>

#include "kernel/exec/warp_interpreter.h"
#include "machine/ref/race_observer.h"

namespace raddle::machine::ref {

using kernel::exec::Progress;

namespace {

// A warp's turn within its block's slice, so that warps that wait for each other through memory
// make progress.
constexpr std::int64_t kWarpTurn = 4096;
constexpr Cycle kCyclesBetweenLooks{1 << 14};  // some milliseconds of host time

}  // namespace

BlockRunner::BlockRunner(kernel::exec::GridState& grid, Counts& counts, RunLimits& limits,
                         kernel::check::RaceDetector* races)
    : grid_(grid), counts_(counts), limits_(limits), block_(grid), races_(races) {
  if (races_ == nullptr) return;
  checked_.emplace(*races_, block_.shared_bytes());
  block_.listen(checked_->order);
}

void BlockRunner::begin(std::uint64_t block_number) {
  block_.begin(block_number);
  if (checked_) checked_->order.begin(static_cast<std::uint32_t>(block_number));
  next_warp_ = 0;
  if (counts_.communication) writers_.assign((block_.shared_bytes() + 3) / 4, 0);
}

bool BlockRunner::run(std::int64_t slice) {
  CountingObserver counting(counts_, grid_.clock, limits_.last_cycle, writers_);
  if (!checked_) return run_observed(slice, counting);
  RaceObserver checking(counting, *races_, *checked_);
  return run_observed(slice, checking);
}

template <class Observer>
bool BlockRunner::run_observed(std::int64_t slice, Observer& observer) {
  std::vector<kernel::exec::WarpState>& warps = block_.warps();
  std::size_t blocked = 0;   // warps in a row that wait, have ended or spin
  std::size_t spinning = 0;  // of these, those that spin
  while (!block_.finished()) {
    kernel::exec::WarpState& warp = warps[next_warp_];
    next_warp_ = (next_warp_ + 1) % warps.size();
    Progress progress = Progress::kFinished;
    if (!warp.finished()) {
      std::int64_t turn = std::min(slice, kWarpTurn);
      slice -= turn;
      kernel::exec::WarpInterpreter interpreter(grid_, block_, warp, observer);
      try {
        progress = interpreter.run(turn);
      } catch (const LimitReached&) {
        interpreter.run_part_of_block(counts_.cut.instructions);
        throw;
      }
      slice += turn;
      if (progress == Progress::kFinished) progress = Progress::kRunning;  // it got on
    }
    if (const Cycle now(grid_.clock); now >= limits_.next_look) {
      limits_.next_look = now + kCyclesBetweenLooks;
      limits_.look();
    }
    if (progress == Progress::kRunning) {
      blocked = spinning = 0;
    } else {
      ++blocked;
      spinning += progress == Progress::kSpinning ? 1 : 0;
    }
    if (block_.finished()) break;
    if (blocked > warps.size()) {
      if (spinning == 0) block_.report_deadlock();
      return false;
    }
    if (slice <= 0) return false;
  }
  return true;
}

}  // namespace raddle::machine::ref
