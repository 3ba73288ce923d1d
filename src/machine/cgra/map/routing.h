// Negotiated-congestion routing (McMurchie and Ebeling's PathFinder): every net is first routed as
// if it were alone; links that more nets want than they have tracks become dearer, until every
// net has tracks of its own. A net is a tree from a unit to all units that take its tokens;
// switches copy tokens where it forks. Integers only, in a fixed order: the same on every host.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/grid.h"
#include "machine/cgra/map/placement.h"
#include "machine/cgra/map/sub_grid.h"

namespace raddle::machine::cgra {

using Path = std::vector<std::uint32_t>;  // links of the grid, from the sender to the receiver

struct CongestedLink {
  std::uint32_t link = 0;
  std::uint32_t nets = 0;  // that want it
};

struct Routing {
  // By copy, node and input. Empty where sender and receiver are in one place.
  std::vector<std::vector<std::vector<Path>>> paths;
  std::uint64_t links_used = 0;          // tracks of links taken
  bool undisturbed = false;              // every token takes a shortest way
  std::vector<CongestedLink> congested;  // empty: routed
};

Routing route(const DataflowGraph& graph, const Placement& placement, const Grid& grid,
              const SubGrid& part, const Distances& distances, std::uint32_t tracks);

}  // namespace raddle::machine::cgra
