#include "machine/grid_result.h"

#include <utility>

namespace raddle::machine {

LaunchResult start_launch_result(const kernel::exec::GridState& grid) {
  LaunchResult result;
  result.mangled = grid.kernel.entry().ir->name;
  result.kernel = grid.kernel_name;
  result.grid = grid.launch.grid;
  result.block = grid.launch.block;
  result.dynamic_shared_bytes = grid.launch.dynamic_shared_bytes;
  result.static_shared_bytes = grid.kernel.static_shared_bytes;
  return result;
}

void take_faults(kernel::exec::GridState& grid, LaunchResult& result) {
  result.faults = std::move(grid.faults);
  result.fault_count = grid.fault_count;
}

}  // namespace raddle::machine
