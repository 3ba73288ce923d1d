// What must hold of every mapping: nodes on units of their class, no unit twice, ways that lead
// from sender to receiver, no link with more nets than tracks, figures that agree.
#pragma once

#include "machine/cgra/map/mapping.h"

namespace raddle::machine::cgra {

// Reports as test failures what is wrong.
void check_mapping(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping);

// A mapping that was checked.
Mapping checked_mapping(const DataflowGraph& graph, const GridParameters& parameters);

}  // namespace raddle::machine::cgra
