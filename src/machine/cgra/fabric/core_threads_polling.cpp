// Which threads of a core only wait: for others of their block, or for memory to change.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "machine/cgra/fabric/core_threads.h"

namespace raddle::machine::cgra {

std::string CoreThreads::block_name(const Resident& resident) const {
  const auto& dim = grid_.launch.grid;
  return fmt::format("block ({},{},{})", resident.number % dim.x, resident.number / dim.x % dim.y,
                     resident.number / dim.x / dim.y);
}

LaneMask CoreThreads::waiting_lanes(const Resident& resident, std::uint32_t warp) {
  LaneMask lanes = 0;
  const auto add = [&](const std::vector<Waiting>& list) {
    for (const Waiting& waiting : list) lanes |= waiting.warp == warp ? waiting.lanes : 0;
  };
  for (const Barrier& barrier : resident.barriers) add(barrier.waiting);
  add(resident.warp_waiting);
  return lanes;
}

bool CoreThreads::only_polls() const {
  for (const Resident& resident : residents_) {
    for (std::uint32_t w = 0; w < warps_ && resident.in_use; ++w) {
      if ((resident.live[w] & ~waiting_lanes(resident, w) & ~resident.polls[w].lanes) != 0)
        return false;
    }
  }
  return true;
}

void CoreThreads::forget_polls() {
  for (Resident& resident : residents_) {
    for (Polls& polls : resident.polls) polls.lanes = 0;
  }
}

void CoreThreads::describe_polls(std::vector<std::string>& lines) const {
  for (const Resident& resident : residents_) {
    for (std::uint32_t w = 0; w < warps_ && resident.in_use; ++w) {
      const LaneMask lanes = resident.live[w] & ~waiting_lanes(resident, w);
      if (lanes == 0 || lines.size() >= kDescribedWarps) continue;
      const kernel::exec::DecodedFunction& function = grid_.kernel.entry();
      lines.push_back(fmt::format("{} warp {}: {} of {} live threads at {}, polling memory",
                                  block_name(resident), w, std::popcount(lanes),
                                  std::popcount(resident.live[w]),
                                  function.module->describe_location(resident.polls[w].location)));
    }
  }
}

}  // namespace raddle::machine::cgra
