// A unit takes some operations, those on doubles, only every so many cycles, and so would a copy of
// a graph take a thread. Units that no further copy needs share such an operation: each one gets
// the operands and does its part of the passes, and one of them puts the parts together.
#pragma once

#include "machine/cgra/compile/slack_matching.h"

namespace raddle::machine::cgra {

// Threads that all copies together take in a cycle.
double threads_a_cycle(const PieceGraph& piece, const GraphOptions& options,
                       const UnitBudget& units, std::uint32_t most = ~0u);

// Gives as many units to such operations as let the most threads through. Operations of a
// recurrence stay on one unit, where they take the least time. `units`: of the whole grid.
void join_units(PieceGraph& piece, const GraphOptions& options, const UnitBudget& units,
                std::uint32_t most = ~0u);

}  // namespace raddle::machine::cgra
