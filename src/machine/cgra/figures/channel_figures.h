// What a launch passed between threads, and by what means, for its result.
#pragma once

#include <vector>

#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric_counts.h"
#include "sim/stats.h"

namespace raddle::machine::cgra {

// Statistics of the component `channels`; none where threads receive nothing. `nodes` by piece.
std::vector<sim::StatValue> channel_figures(const FabricKernel& kernel,
                                            const std::vector<FabricNodeCounts>& nodes);

}  // namespace raddle::machine::cgra
