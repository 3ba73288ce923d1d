// A thread block that is resident on the reference machine: its warps, shared memory and barriers.
// It runs in slices, so that blocks which wait for each other all make progress.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/ref/execution.h"

namespace raddle::machine::ref {

inline constexpr int kBarriers = 16;

struct Barrier {
  std::uint32_t arrived = 0;     // threads
  std::uint32_t expected = 0;    // 0: all live threads of the block
  std::uint32_t count_true = 0;  // reductions: threads whose predicate held
  std::uint32_t count_false = 0;
  bool waiting = false;
};

class ThreadBlock {
 public:
  explicit ThreadBlock(Execution& execution);

  // Makes this object the block with the given index, from the start.
  void begin(std::uint64_t block_number);
  // Runs until all threads ended or the slice of warp instructions is used up. True: finished.
  bool run(std::int64_t slice);
  // One line a warp: where it stands and what it waits for.
  void describe_warps(std::vector<std::string>& lines, std::size_t most) const;

  // For the interpreter: lanes of a split arrive at a barrier, or end.
  void arrive(WarpState& warp, std::int32_t barrier, std::uint32_t expected, std::uint32_t threads,
              std::uint32_t true_threads);
  // Keeps track of who read what whom wrote, where asked for.
  void note_access(const WarpState& warp, const kernel::exec::DecodedInstruction& instruction);
  void end_threads(WarpState& warp, kernel::exec::LaneMask lanes);

 private:
  void begin_warp(std::uint32_t index, std::uint32_t threads);
  void complete_if_due(std::int32_t barrier);
  void release(std::int32_t barrier);
  void write_reduction(const Activation& activation, const Split& split,
                       const Barrier& barrier) const;
  void check_convergence(std::int32_t barrier);
  [[noreturn]] void report_deadlock();

  Execution& execution_;
  std::array<std::uint32_t, 3> index_{};
  std::uint32_t multiprocessor_ = 0;
  std::vector<std::byte> shared_;
  Communication::Writers writers_;  // empty unless communication is tracked
  std::vector<WarpState> warps_;
  std::uint32_t live_threads_ = 0;
  std::size_t next_warp_ = 0;
  std::array<Barrier, kBarriers> barriers_{};
};

}  // namespace raddle::machine::ref
