// TEX reads both coordinates from one register: which numbers to gather into it.
#pragma once

#include <map>

#include "lang/cg/ir/ir.h"

namespace raddle::cg {

// Adds, for each TEX of the region whose coordinates lie in several values, what its register
// holds.
void plan_coordinates(const IrProgram& program, const Region& region,
                      std::map<ValueId, Refs>& planned);

}  // namespace raddle::cg
