// How fast a fabric with these units could be at best, however the kernel is cut and wherever its
// operations are placed: each unit carries out one operation a cycle, so a launch takes no fewer
// cycles than its threads need operations of a class for each unit of that class; nor fewer than
// its recurrences take, with all blocks that a core has room for at a time.
#pragma once

#include <vector>

#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/cgra/fabric/fabric_parameters.h"
#include "machine/launch_result.h"

namespace raddle::machine::cgra {

// Counts what every thread that comes to a piece has to compute, access and receive there. Left out
// is what another cut might do without: values kept between pieces, buffers, further nodes of a
// cascade, selections and predicates where paths were joined, what lies on some paths only, and
// accesses with a guard. What several pieces compute counts once, and what follows from a thread's
// coordinates once for each thread. `nodes`: by piece. The result's pieces are left empty.
FabricLaunch bound_figures(const FabricKernel& kernel, const std::vector<FabricNodeCounts>& nodes,
                           const FabricParameters& fabric);

}  // namespace raddle::machine::cgra
