// Makes edges between threads fit token buffers of S entries. A node can run ahead of another by as
// many threads as there are places for tokens between them. Each node gets a skew: by how many
// threads it must lag behind the injection so that everything it waits for has been sent. From the
// skews follow the places that each edge needs; an edge that needs more than its consumer's buffer
// has gets elevators that only buffer, an elevator that needs more becomes a cascade, and a
// receive-or-load with a long loop becomes a load and a closed cascade with multiplexers
// (dmt-cgra, section 4.3).
#pragma once

#include <array>
#include <cstdint>

#include "base/error.h"
#include "machine/cgra/graph_builder.h"

namespace raddle::machine::cgra {

using UnitBudget = std::array<std::uint32_t, kUnitClasses>;  // by class

// Threads wait for each other in a circle, whichever way they are injected.
class CircularWait : public Error {
 public:
  using Error::Error;
};

// Throws CircularWait.
void fit_in_time(PieceGraph& piece, const GraphOptions& options);

// Operands of a node that come over ways of different length wait for each other, and with them the
// threads behind: a buffer of S entries lets S threads be on the longer way. Adds buffers, from
// units that no further copy of the graph needs, so that threads follow each other as closely as
// these allow. `units`: of the whole grid.
void balance_paths(PieceGraph& piece, const GraphOptions& options, const UnitBudget& units);

// All units have a token buffer (dmt-cgra, section 4: "all units in the grid already have an
// internal opcode register and token buffers"), so a buffer may be any of them that can pass a
// value on. Gives each one a unit of the class that is taken least.
void place_buffers(DataflowGraph& graph, const UnitBudget& units);

}  // namespace raddle::machine::cgra
