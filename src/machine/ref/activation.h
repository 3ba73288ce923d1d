// Where the lanes of a warp are. An activation is one call of a function by some lanes, with
// registers and a parameter frame of its own; a split is a set of its lanes at the same
// instruction. Lanes of a warp move in lockstep as long as they are in one split; splits of an
// activation run lowest block rank first (kernel/exec/block_order.h), and merge where they meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "kernel/exec/decoded.h"
#include "kernel/exec/warp.h"

namespace raddle::machine::ref {

inline constexpr std::int32_t kNotWaiting = -1;

struct Split {
  std::uint32_t pc = 0;  // next instruction, into DecodedFunction::code
  kernel::exec::LaneMask mask = 0;
  std::int32_t barrier = kNotWaiting;  // waits at this barrier
  std::uint32_t barrier_pc = 0;        // the instruction it waits at
};

struct Activation {
  const kernel::exec::DecodedFunction* function = nullptr;
  std::byte* frame = nullptr;  // registers, then the parameter frame, one row a lane
  std::uint32_t local_base = 0;
  std::int32_t parent = -1;   // index of the caller's activation
  std::uint32_t call_pc = 0;  // the caller's call instruction
  std::vector<Split> splits;
  bool in_use = false;
};

// Register frames by function, handed out again when free: constants are filled in once.
class FramePool {
 public:
  explicit FramePool(const kernel::exec::DecodedKernel& kernel);
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  std::byte* take(const kernel::exec::DecodedFunction& function);
  void give_back(const kernel::exec::DecodedFunction& function, std::byte* frame);

 private:
  std::size_t index_of(const kernel::exec::DecodedFunction& function) const;
  const kernel::exec::DecodedKernel& kernel_;
  std::vector<std::vector<std::byte*>> free_;
  std::vector<std::byte*> all_;
};

struct WarpState {
  kernel::exec::Warp lanes;
  kernel::exec::LaneMask live = 0;     // lanes whose thread has not ended
  std::deque<Activation> activations;  // [0] is the kernel itself
  std::int32_t current = 0;            // the activation that runs; its splits go first
  std::uint32_t diverged_blocks =
      0;                       // executed since the last change of split, while others could run
  bool polled_memory = false;  // read something another thread may change, since then
  bool finished() const { return live == 0; }
};

// Adds lanes at pc to the activation, together with those already there.
void join(Activation& activation, std::uint32_t pc, kernel::exec::LaneMask mask);

}  // namespace raddle::machine::ref
