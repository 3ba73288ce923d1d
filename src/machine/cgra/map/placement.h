// Simulated annealing of copies of a graph onto units of a part of the grid. What is made small is
// the way of all tokens, links on the longest path and on recurrences counted more than others:
// operands of a node then arrive close to each other, and threads follow each other quickly.
// All arithmetic is in integers: the same input gives the same placement on every host.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/grid.h"
#include "machine/cgra/map/sub_grid.h"

namespace raddle::machine::cgra {

// By copy and node: a unit of the grid; for nodes at ports: a port.
using Placement = std::vector<std::vector<std::uint32_t>>;

// The part must have enough units for all copies. As few threads as possible share a port.
Placement place(const DataflowGraph& graph, std::uint32_t copies, const Grid& grid,
                const SubGrid& part, const Distances& distances);

// A link of a recurrence costs as much as so many others: it delays every thread that follows.
inline constexpr std::uint32_t kRecurrenceWeight = 8;

}  // namespace raddle::machine::cgra
