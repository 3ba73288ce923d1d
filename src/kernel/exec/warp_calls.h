// The running lanes of a warp, and what calls and returns do with them: a call opens an activation
// for its lanes, the last of them to return closes it and rejoins the caller.
#pragma once

#include <cstdint>

#include "kernel/exec/grid_state.h"
#include "kernel/exec/warp_state.h"

namespace raddle::kernel::exec {

class WarpCalls {
 protected:
  WarpCalls(GridState& grid, WarpState& warp) : grid_(grid), warp_(warp) {}

  // Makes the registers, parameters and local memory of `here_` those that instructions see.
  void use_frame();
  // A call by the active lanes. True: the lanes go on after it, because the device library carried
  // it out; false: what runs next is to be chosen.
  bool call(const DecodedInstruction& d, LaneMask active);
  // False: no lanes of this split are left.
  bool return_lanes(LaneMask active);
  // Closes activations that no lanes are left in, from the current one up.
  void leave_if_empty();

  GridState& grid_;
  WarpState& warp_;
  // The split that runs: in this activation of this function, these lanes at this instruction.
  Activation* here_ = nullptr;
  const DecodedFunction* function_ = nullptr;
  std::uint32_t pc_ = 0;
  LaneMask mask_ = 0;

 private:
  bool has_children(std::int32_t activation) const;
  bool system_call(const DecodedInstruction& d, const CallTarget& target, LaneMask active);
  [[noreturn]] void fail_assertion(const DecodedInstruction& d, int lane);
  bool indirect_call(const DecodedInstruction& d, LaneMask active, LaneMask rest);
  void begin_call(const DecodedInstruction& d, const DecodedFunction& callee, LaneMask lanes);
  void enter_callee(const DecodedFunction& callee, std::uint32_t local_base);
  void list_local_variables();
};

inline void WarpCalls::use_frame() {
  function_ = here_->function;
  Warp& lanes = warp_.lanes;
  lanes.frame = here_->frame;
  lanes.parameters = here_->frame + function_->frame_bytes;
  lanes.parameter_bytes = function_->parameter_bytes;
  lanes.uniform_parameter_bytes = function_->ir->is_entry ? function_->incoming_bytes : 0;
  lanes.local_base = here_->local_base;
  if (grid_.options.check.memory) list_local_variables();
}

}  // namespace raddle::kernel::exec
