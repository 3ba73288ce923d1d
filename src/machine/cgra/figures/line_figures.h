// What the units did and waited for by line of the source (--lines): each unit belongs to the line
// that its node was made of.
#pragma once

#include <vector>

#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/launch_result.h"

namespace raddle::machine::cgra {

// `nodes`: by piece. The line with most firings comes first. Cycles in which units are configured,
// or have no node, belong to no line.
std::vector<LineCost> line_figures(const std::vector<FabricNodeCounts>& nodes,
                                   const FabricKernel& kernel, const kernel::Module& module);

}  // namespace raddle::machine::cgra
