// What every machine that executes a grid says of it in the same way: the kernel, its shape, and
// the faults its threads committed.
#pragma once

#include "kernel/exec/grid_state.h"
#include "machine/launch_result.h"

namespace raddle::machine {

// Kernel, grid, block and shared memory; before the launch.
LaunchResult start_launch_result(const kernel::exec::GridState& grid);
// The faults; after it.
void take_faults(kernel::exec::GridState& grid, LaunchResult& result);

}  // namespace raddle::machine
