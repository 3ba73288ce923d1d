// Carries out an instruction that needs the warp's surroundings (memory, textures, other lanes), as
// every way of stepping a warp does it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "kernel/exec/grid_state.h"

namespace raddle::kernel::exec {

// A hash over the addresses that lanes polled and what they got.
inline std::uint64_t seen_by(const DecodedInstruction& d, const Warp& warp) {
  const MemoryAccess& access = warp.access();
  const std::size_t bytes = d.destination_count == 0 ? 0 : d.element_bytes;
  std::uint64_t hash = access.mask;
  for (LaneMask left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    std::uint64_t value = 0;
    std::memcpy(&value, warp.frame + d.destination[0] + lane * bytes, bytes);
    hash = (hash ^ access.address[lane] ^ value << 17) * 0x9e3779b97f4a7c15;
  }
  return hash;
}

// The instruction at `pc` of the current activation, for these lanes, of which there is one. True:
// it accessed memory, as Warp::access says. Throws LaunchStopped for a fault that ends the launch.
inline bool run_warp_function(GridState& grid, WarpState& warp, const DecodedInstruction& d,
                              std::uint32_t pc, LaneMask lanes) {
  d.warp(d, warp.lanes, lanes);
  if (!warp.lanes.faults.empty()) {
    const Activation& here = warp.activations[static_cast<std::size_t>(warp.current)];
    grid.take_access_faults(warp, *here.function, d);
  }
  if (!d.touches_memory) return false;
  const MemoryAccess& access = warp.lanes.access();
  if (d.polls) {
    warp.polled_memory = true;
    warp.poll.poll(pc, seen_by(d, warp.lanes));
  } else {
    const int first = access.mask == 0 ? 0 : std::countr_zero(access.mask);
    warp.poll.access(access.address[static_cast<std::size_t>(first)]);
  }
  return true;
}

}  // namespace raddle::kernel::exec
