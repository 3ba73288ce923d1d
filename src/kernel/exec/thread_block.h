// A thread block that is resident on a machine: its warps, shared memory and barriers. Who runs its
// warps, and when, is the machine's affair (warp_interpreter.h, warp_stepper.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/exec/channels.h"
#include "kernel/exec/grid_state.h"

namespace raddle::kernel::exec {

inline constexpr int kBarriers = 16;

struct Barrier {
  std::uint32_t arrived = 0;     // threads
  std::uint32_t expected = 0;    // 0: all live threads of the block
  std::uint32_t count_true = 0;  // reductions: threads whose predicate held
  std::uint32_t count_false = 0;
  bool waiting = false;
};

// Hears which warps of a block meet at barriers, in whole or in part.
class BarrierListener {
 public:
  virtual ~BarrierListener() = default;
  virtual void arrive(std::uint32_t warp, std::int32_t barrier, bool waits) = 0;
  // Those that have come go on; `everyone`: all that have not ended.
  virtual void complete(std::int32_t barrier, bool everyone) = 0;
};

class ThreadBlock {
 public:
  explicit ThreadBlock(GridState& grid);

  // Makes this object the block with the given index, from the start.
  void begin(std::uint64_t block_number);
  std::vector<WarpState>& warps() { return warps_; }
  std::uint32_t live_threads() const { return live_threads_; }
  bool finished() const { return live_threads_ == 0; }
  // What its threads can reach of shared memory: in checked mode exactly what the kernel and the
  // launch ask for, otherwise up to the end of the unit that a card gives out.
  std::size_t shared_bytes() const { return shared_.size(); }
  // One line a warp: where it stands and what it waits for, or `doing` where it waits for nothing.
  void describe_warps(std::vector<std::string>& lines, std::size_t most,
                      std::string_view doing = {}) const;

  // For the interpreter: lanes of a split arrive at a barrier, or end.
  void arrive(WarpState& warp, std::int32_t barrier, std::uint32_t expected, std::uint32_t threads,
              std::uint32_t true_threads);
  void end_threads(WarpState& warp, LaneMask lanes);
  // Whether the barrier that lanes wait at needs every live thread of the block.
  bool needs_all_threads(std::int32_t barrier) const {
    return barriers_[static_cast<std::size_t>(barrier)].expected == 0;
  }
  Channels& channels() { return channels_; }
  // Of all blocks that this object is from now on; it must outlive them.
  void listen(BarrierListener& listener) { listener_ = &listener; }
  BarrierListener* listener() const { return listener_; }

  // All live threads wait at barriers or for each other's values: says who waits where, and stops
  // the launch.
  [[noreturn]] void report_deadlock();

 private:
  void begin_warp(std::uint32_t index, std::uint32_t threads);
  void complete_if_due(std::int32_t barrier);
  void release(std::int32_t barrier);
  void write_reduction(const Activation& activation, const Split& split,
                       const Barrier& barrier) const;
  void check_convergence(std::int32_t barrier);
  // Who waits at a receive: this thread of the block.
  struct Receiver {
    const Activation* activation = nullptr;
    const DecodedInstruction* receive = nullptr;
    std::uint32_t thread = kNoThread;
    std::uint32_t producer = kNoThread;
  };
  std::vector<Receiver> receivers() const;
  std::string wait_text(const Activation& activation, const Split& split, std::uint32_t warp) const;
  std::string thread_text(std::uint32_t thread) const;
  std::string channel_text(const Activation& activation, const DecodedInstruction& receive) const;
  void describe_receive_deadlock(const std::vector<Receiver>& waiting, Fault& fault) const;
  void report_divergence(const WarpState& warp, const Activation& activation, std::uint32_t pc,
                         LaneMask lanes, const std::string& what);

  GridState& grid_;
  std::array<std::uint32_t, 3> index_{};
  std::uint32_t multiprocessor_ = 0;
  std::vector<std::byte> shared_;
  std::vector<WarpState> warps_;
  std::uint32_t live_threads_ = 0;
  std::array<Barrier, kBarriers> barriers_{};
  Channels channels_;
  BarrierListener* listener_ = nullptr;
};

}  // namespace raddle::kernel::exec
