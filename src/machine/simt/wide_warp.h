// A warp of 64 lanes: two of 32 that issue as one, with one instruction buffer and one scoreboard.
// Both execute an instruction together where they stand at the same one. Where they do not, the
// warp has diverged, and the half that stands earlier goes first, so that they meet again. A half
// that polls memory gives its turn to the other on a backward branch: it may wait for it.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/exec/decoded.h"
#include "kernel/exec/warp_state.h"

namespace raddle::machine::simt {

struct WideWarp {
  struct Half {
    kernel::exec::WarpState* state = nullptr;
    const kernel::exec::DecodedFunction* function = nullptr;
    const kernel::exec::DecodedInstruction* next = nullptr;  // null: waits at a barrier, has ended
    kernel::exec::LaneMask lanes = 0;                        // that executed the last instruction
    kernel::exec::MemoryAccess access;                       // what it touched; no lane: nothing
    bool runs = false;                                       // has its turn
    bool polled = false;                                     // since it got its turn
  };
  static constexpr std::size_t kNone = 2;

  std::array<Half, 2> halves;
  std::size_t favoured = kNone;  // the half that goes first whatever the order

  bool finished() const { return halves[0].state->finished() && halves[1].state->finished(); }
};

// Of the lanes that have not ended, those that execute next are the lesser part: the warp has
// diverged, and this costs extra slots.
bool is_lesser_part(const WideWarp& warp);
// Which of the halves execute next, as `runs` then says. False: neither can.
bool choose_halves(WideWarp& warp);
// The halves that ran have executed a branch back: one that polled gives its turn to the other,
// which keeps it until it meets the first, waits, ends or branches back itself.
void rotate_halves(WideWarp& warp);

}  // namespace raddle::machine::simt
