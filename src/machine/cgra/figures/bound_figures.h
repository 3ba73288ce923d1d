// How fast a fabric with these units could be at best, whatever its pieces and their places: each
// unit carries out one operation a cycle, so a launch takes no fewer cycles than it has operations
// of a class for each unit of that class; nor fewer than its recurrences take, in as many copies as
// have a block at a time.
#pragma once

#include <vector>

#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/cgra/fabric/fabric_parameters.h"
#include "sim/stats.h"

namespace raddle::machine::cgra {

// Counts what threads computed, accessed and received. Left out are values that are kept between
// pieces, buffers, further nodes of a cascade, and values that several pieces compute again:
// another mapping might do without. `nodes`: by piece.
std::vector<sim::StatValue> bound_figures(const FabricKernel& kernel,
                                          const std::vector<FabricNodeCounts>& nodes,
                                          const FabricParameters& fabric);

}  // namespace raddle::machine::cgra
