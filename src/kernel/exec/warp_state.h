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

namespace raddle::kernel::exec {

inline constexpr std::int32_t kNotWaiting = -1;
inline constexpr std::int32_t kWaitsForThread = -2;  // in the place of a barrier: at a receive
inline constexpr std::int32_t kWaitsForLanes = -3;   // at a .sync operation, before it

struct Split {
  std::uint32_t pc = 0;  // next instruction, into DecodedFunction::code
  LaneMask mask = 0;
  std::int32_t barrier = kNotWaiting;  // waits at this barrier, or for another thread
  std::uint32_t barrier_pc = 0;        // the instruction it waits at
  LaneMask missing = 0;  // checked mode: lanes that should have come with it and had not ended
  LaneMask members = 0;  // waits for lanes: these
  LaneMask passed = 0;   // and of them, those that went through a .sync of the same mask elsewhere
};

struct Activation {
  const DecodedFunction* function = nullptr;
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
  explicit FramePool(const DecodedKernel& kernel);
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  std::byte* take(const DecodedFunction& function);
  void give_back(const DecodedFunction& function, std::byte* frame);

 private:
  std::size_t index_of(const DecodedFunction& function) const;
  const DecodedKernel& kernel_;
  std::vector<std::vector<std::byte*>> free_;
  std::vector<std::byte*> all_;
};

// The split that runs, while it is out of its activation's list between two steps.
struct RunningSplit {
  bool valid = false;
  bool favoured = false;  // runs although others rank before it, until it has had its turn
  std::uint32_t pc = 0;
  LaneMask mask = 0;
};

// Reads of what another thread may change that come back the same again and again, with nothing
// else happening in between: the warp spins.
class PollWatch {
 public:
  // A poll at `pc` that saw this, told by a hash over addresses and values.
  void poll(std::uint32_t pc, std::uint64_t seen);
  // Any other access to memory in between.
  void access(std::uint64_t address) {
    if (watching_) others_ = (others_ ^ address) * kPrime;
  }
  bool spins() const { return repeats_ >= kSpinRepeats; }
  void restart() { *this = {}; }

 private:
  static constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;
  static constexpr std::uint32_t kSpinRepeats = 16;
  static constexpr std::uint32_t kForgetAfter = 64;

  bool watching_ = false;
  std::uint32_t pc_ = 0;
  std::uint32_t repeats_ = 0;
  std::uint32_t strangers_ = 0;  // polls at other places since the last one at pc_
  std::uint64_t seen_ = 0;
  std::uint64_t others_ = 0;  // what happened since the last poll, and before it
  std::uint64_t others_before_ = 0;
};

struct WarpState {
  // What every instruction needs comes first, on one line of the host's cache.
  RunningSplit running;
  LaneMask live = 0;  // lanes whose thread has not ended
  Warp lanes;
  std::deque<Activation> activations;  // [0] is the kernel itself
  std::int32_t current = 0;            // the activation that runs; its splits go first
  // Executed since the warp parted or changed to another split, while others could run.
  std::uint32_t diverged_blocks = 0;
  bool polled_memory = false;      // read something another thread may change, since then
  bool waits_for_lanes = false;    // some splits wait at .sync operations
  LaneMask released = 0;           // lanes that need not wait at the .sync they stand at
  bool waits_for_threads = false;  // some splits wait at receives, since
  std::uint64_t tags_seen = 0;     // so many values were tagged
  bool waits_together = false;     // among them lanes that could go on but stay with the others
  PollWatch poll;
  bool finished() const { return live == 0; }
};

// Lanes at a lower position go first.
inline std::uint64_t position(const Activation& activation, std::uint32_t pc) {
  const DecodedFunction& function = *activation.function;
  return std::uint64_t{function.order[function.code[pc].block]} << 32 | pc;
}

// Adds lanes at pc to the activation, together with those already there.
void join(Activation& activation, std::uint32_t pc, LaneMask mask);

// The lanes of `mask` that execute the instruction of the current activation, whose frame is in
// use: those that its guard does not keep out.
inline LaneMask active_lanes(const DecodedInstruction& d, const WarpState& warp, LaneMask mask) {
  if (!d.guarded) return mask;
  const LaneMask guard = *warp.lanes.lanes<const LaneMask>(d.guard);
  return mask & (d.guard_negated ? ~guard : guard);
}

}  // namespace raddle::kernel::exec
