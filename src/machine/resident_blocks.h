// The blocks of a launch on a machine that executes them in order without timing: which are
// resident, and whose turn it is. Blocks run in slices, and the warps of a block in turns, so that
// blocks and warps that wait for each other all make progress.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/exec/thread_block.h"
#include "kernel/exec/warp_interpreter.h"

namespace raddle::machine {

// A warp's turn within its block's slice.
inline constexpr std::int64_t kWarpTurn = 4096;
inline constexpr Cycle kCyclesBetweenLooks{1 << 14};  // some milliseconds of host time

// Runs warps of the block until all threads ended (true), the slice of warp instructions is used
// up, or no warp gets on because all wait for other blocks. `run_warp` runs one for at most so many
// instructions, which it takes off; `look` is called after each turn.
template <class RunWarp, class Look>
bool run_slice_of(kernel::exec::ThreadBlock& block, std::size_t& next_warp, std::int64_t slice,
                  RunWarp run_warp, Look look) {
  using kernel::exec::Progress;
  std::vector<kernel::exec::WarpState>& warps = block.warps();
  std::size_t blocked = 0;   // warps in a row that wait, have ended or spin
  std::size_t spinning = 0;  // of these, those that spin
  while (!block.finished()) {
    kernel::exec::WarpState& warp = warps[next_warp];
    next_warp = (next_warp + 1) % warps.size();
    Progress progress = Progress::kFinished;
    if (!warp.finished()) {
      std::int64_t turn = std::min(slice, kWarpTurn);
      slice -= turn;
      progress = run_warp(warp, turn);
      slice += turn;
      if (progress == Progress::kFinished) progress = Progress::kRunning;  // it got on
    }
    look();
    if (progress == Progress::kRunning) {
      blocked = spinning = 0;
    } else {
      ++blocked;
      spinning += progress == Progress::kSpinning ? 1 : 0;
    }
    if (block.finished()) break;
    if (blocked > warps.size()) {
      if (spinning == 0) block.report_deadlock();
      return false;
    }
    if (slice <= 0) return false;
  }
  return true;
}

// A Runner has begin(block number), run(slice), which says whether the block has ended, and
// block().
template <class Runner>
class ResidentBlocks {
 public:
  ResidentBlocks(std::uint64_t total, std::uint64_t limit, std::int64_t slice,
                 std::function<std::unique_ptr<Runner>()> make)
      : total_(total), limit_(limit), slice_(slice), make_(std::move(make)) {}

  void run() {
    while (next_ < total_ || !resident_.empty()) {
      for (std::size_t left = resident_.size(); left > 0; --left) {
        std::unique_ptr<Runner> block = std::move(resident_.front());
        resident_.pop_front();
        run_slice(std::move(block));
      }
      // A block that ends within its first slice makes room for the next at once; memory grows only
      // if blocks last.
      while (next_ < total_ && resident_.size() < limit_) {
        std::unique_ptr<Runner> block = take();
        block->begin(next_++);
        run_slice(std::move(block));
      }
    }
  }
  // Blocks that have ended.
  std::uint64_t finished() const { return next_ - resident_.size(); }
  // One line a warp of what is resident.
  void describe(std::vector<std::string>& lines, std::size_t most_warps) const {
    for (const auto& block : resident_) block->block().describe_warps(lines, most_warps);
  }

 private:
  std::unique_ptr<Runner> take() {
    if (idle_.empty()) return make_();
    std::unique_ptr<Runner> block = std::move(idle_.back());
    idle_.pop_back();
    return block;
  }

  void run_slice(std::unique_ptr<Runner> block) {
    Runner& running = *block;
    resident_.push_back(std::move(block));
    if (!running.run(slice_)) return;
    idle_.push_back(std::move(resident_.back()));
    resident_.pop_back();
  }

  std::uint64_t total_;
  std::uint64_t limit_;
  std::int64_t slice_;
  std::function<std::unique_ptr<Runner>()> make_;
  std::uint64_t next_ = 0;
  std::deque<std::unique_ptr<Runner>> resident_;
  std::vector<std::unique_ptr<Runner>> idle_;
};

}  // namespace raddle::machine
