// A dataflow graph on the grid: which unit carries out each node, and over how many links each
// token travels. Found by annealing placements and negotiating routes; the same graph on the same
// grid always gives the same mapping.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/dataflow_graph.h"
#include "machine/cgra/grid.h"

namespace raddle::machine::cgra {

// One copy of the graph on the grid.
struct Replica {
  std::vector<std::uint32_t> unit;  // by node: index of a unit of the grid; ports: of a port
  // By node and input: links from the sending unit to this one, at least 1.
  std::vector<std::vector<std::uint32_t>> hops;
};

struct Mapping {
  std::vector<Replica> replicas;  // at least one
  std::uint64_t links_used = 0;   // of all replicas: a token to several units shares links
};

// Throws Error that says which class of units or which links ran out, for which source lines, and
// what would fit.
Mapping map_graph(const DataflowGraph& graph, const Grid& grid);

}  // namespace raddle::machine::cgra
