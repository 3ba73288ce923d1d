// Executes a warp one instruction at a time, for machines that decide when each is issued: what
// comes next can be looked at before, what it did is told after.
#pragma once

#include "kernel/exec/grid_state.h"
#include "kernel/exec/thread_block.h"
#include "kernel/exec/warp_function.h"

namespace raddle::kernel::exec {

struct Step {
  const DecodedFunction* function = nullptr;
  const DecodedInstruction* instruction =
      nullptr;                   // null: all lanes wait at barriers or have ended
  LaneMask lanes = 0;            // that execute it, its guard considered
  bool accessed_memory = false;  // as WarpState::lanes.access() says
  bool diverged = false;         // a branch that lanes took different ways
};

// A step and what comes after it.
struct StepAndNext {
  LaneMask lanes = 0;            // that executed it
  bool accessed_memory = false;  // as WarpState::lanes.access() says
  bool diverged = false;
  const DecodedFunction* function = nullptr;  // of what comes next
  const DecodedInstruction* instruction =
      nullptr;  // null: all lanes wait at barriers or have ended
};

// What execute_step would execute. Looking changes nothing.
Step next_step(GridState& grid, ThreadBlock& block, WarpState& warp);
// Throws LaunchStopped for a fault that ends the launch.
Step execute_step(GridState& grid, ThreadBlock& block, WarpState& warp);
// The same for an instruction that was looked at, with a look at what comes next: quicker than two
// calls.
StepAndNext execute_and_look(GridState& grid, ThreadBlock& block, WarpState& warp);

struct StepOnward {
  LaneMask lanes = 0;            // that executed it
  bool accessed_memory = false;  // as WarpState::lanes.access() says
};
// The same for an instruction that runs on (DecodedInstruction::runs_on): what comes next is the
// one after it. Quicker still.
inline StepOnward execute_and_run_on(GridState& grid, WarpState& warp,
                                     const DecodedInstruction& d) {
  StepOnward step{active_lanes(d, warp, warp.running.mask)};
  if (step.lanes != 0) {
    if (d.handler == Handler::kLaneLoop) {
      d.lanes(d, warp.lanes.frame, step.lanes);
    } else {
      step.accessed_memory = run_warp_function(grid, warp, d, warp.running.pc, step.lanes);
    }
  }
  ++warp.running.pc;
  return step;
}

}  // namespace raddle::kernel::exec
