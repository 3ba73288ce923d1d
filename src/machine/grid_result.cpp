#include "machine/grid_result.h"

#include <utility>

namespace raddle::machine {

LaunchResult start_launch_result(const kernel::exec::GridState& grid) {
  LaunchResult result;
  result.kernel = grid.kernel_name;
  KernelLaunch& launch = result.kernel_launch.emplace();
  launch.mangled = grid.kernel.entry().ir->name;
  launch.grid = grid.launch.grid;
  launch.block = grid.launch.block;
  launch.dynamic_shared_bytes = grid.launch.dynamic_shared_bytes;
  launch.static_shared_bytes = grid.kernel.static_shared_bytes;
  return result;
}

void take_faults(kernel::exec::GridState& grid, LaunchResult& result) {
  result.faults = std::move(grid.faults);
  result.fault_count = grid.fault_count;
}

}  // namespace raddle::machine
