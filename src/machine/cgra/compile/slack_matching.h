// Operands of a node that come over ways of different length wait for each other, and with them the
// threads behind: a buffer of S entries lets S threads be on the longer way. Units that no further
// copy of a graph needs become buffers, so that threads follow each other as closely as these
// allow.
#pragma once

#include <array>
#include <cstdint>

#include "machine/cgra/compile/graph_builder.h"

namespace raddle::machine::cgra {

using UnitBudget = std::array<std::uint32_t, kUnitClasses>;  // by class

// How often the units suffice for a graph; 0: not once, ~0: it needs none.
std::uint32_t copies_within(const UnitBudget& needed, const UnitBudget& units);

struct CopiesAndRate {
  std::uint32_t copies = 1;
  double rate = 1;  // threads a cycle of each copy
};

// How many copies, `most` of them, pass the most threads together: with fewer there are more
// buffers for each. The graph must fit.
CopiesAndRate balanced_copies(const PieceGraph& piece, const GraphOptions& options,
                              const UnitBudget& units, std::uint32_t most = ~0u);

// Adds the buffers for that. `units`: of the whole grid.
void match_slack(PieceGraph& piece, const GraphOptions& options, const UnitBudget& units,
                 std::uint32_t most = ~0u);

// All units have a token buffer (dmt-cgra, section 4: "all units in the grid already have an
// internal opcode register and token buffers"), so a buffer may be any of them that can pass a
// value on. Gives each one a unit of the class that is taken least: not of those that this grid
// has, but in the pattern that grids are parts of, so that buffers do not spread over more of it
// than they need where a grid has many units of one class. As many copies as fit, `most` of them,
// have room.
void place_buffers(DataflowGraph& graph, const UnitBudget& units, std::uint32_t most = ~0u);

}  // namespace raddle::machine::cgra
