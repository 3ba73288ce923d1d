// An order of basic blocks for executing diverged lanes: always run the lanes in the block of
// lowest rank. A block ranks before everything it can reach without going around a loop, and a
// loop's blocks rank before what follows the loop, so lanes meet again at the latest where
// post-dominance would make them (thread frontiers, Diamos et al., MICRO 2011).
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace raddle::kernel::exec {

// Rank of each block; unreachable blocks come last.
std::vector<std::uint32_t> block_ranks(const Function& function);

}  // namespace raddle::kernel::exec
