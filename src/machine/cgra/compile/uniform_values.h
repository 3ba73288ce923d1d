// Values that are the same for all threads of a block, each time the block computes them: what
// follows from block numbers, loop counters and their comparisons. An injector computes them once
// for a group of threads and sends them along with each, as it does with the threads' coordinates;
// they take no unit of the grid and no room in the live-value cache.
#pragma once

#include <vector>

#include "kernel/module.h"
#include "machine/cgra/compile/turn_counters.h"

namespace raddle::machine::cgra {

// A pointer or counter that each iteration of a loop moves by the same amount for all threads
// becomes what it was before the loop plus such a counter. In SSA form.
void split_inductions(kernel::Function& ssa);

// By register.
std::vector<bool> find_uniform_values(const kernel::Function& ssa);

// Which of the uniform values count the iterations of a loop. Those that have several writers
// (`shared`, slot_sharing.h) do not.
TurnCounters find_turn_counters(const kernel::Function& ssa, const std::vector<bool>& uniform,
                                const std::vector<bool>& shared);

}  // namespace raddle::machine::cgra
