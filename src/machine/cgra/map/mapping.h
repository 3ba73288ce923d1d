// A dataflow graph on the grid: which unit carries out each node, and over how many links each
// token travels. Found by annealing placements and negotiating routes; the same graph on the same
// grid always gives the same mapping.
//
// A larger grid never gives a worse mapping. Units lie in a pattern that larger grids continue
// (unit_pattern.h), so every mapping on a grid is also one on a larger grid. And a mapping is the
// best one of a list of attempts that depends on the graph and the pattern alone: a number of
// copies, a part of the pattern just large enough for them (sub_grid.h), a number of tracks. A grid
// makes those attempts on the list for which it has the units, switches and tracks. Attempts do not
// look at the rest of the grid and therefore end alike on every grid that makes them. A larger grid
// makes all the attempts of a smaller one and maybe more, and takes the best. "Larger" is: as many
// units of each class or more, as many tracks or more, all else the same; a torus can only have
// more tracks. "Worse" is worse_than() below.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/grid.h"

namespace raddle::machine::cgra {

// One copy of the graph on the grid.
struct Replica {
  std::vector<std::uint32_t> unit;  // by node: index of a unit of the grid; ports: of a port
  // By node and input: links from the sending unit to this one, at least 1.
  std::vector<std::vector<std::uint32_t>> hops;
  // By node and input: these links, in the order in which a token takes them. None where a node
  // sends to itself, or a source to an exit at its port, which counts as one hop.
  std::vector<std::vector<std::vector<std::uint32_t>>> paths;
  bool operator==(const Replica&) const = default;
};

struct Mapping {
  std::vector<Replica> replicas;    // at least one
  std::uint64_t links_used = 0;     // of all replicas: a token to several units shares links
  std::uint64_t total_hops = 0;     // of all inputs of all replicas
  std::uint32_t longest_route = 0;  // hops
  Cycle depth;                      // from a thread's injection to its last token, memory apart
  // The longest that a token waits for the other operands of its node, when memory answers at
  // once. Beyond the entries of a token buffer, threads cannot follow each other every cycle.
  Cycle longest_wait;
  // All hops, those on recurrences counted kRecurrenceWeight times, and the depths of all replicas:
  // operands of a node are never further apart in time than the depth.
  std::uint64_t cost = 0;
  bool operator==(const Mapping&) const = default;

  // Fewer copies, or as many that cost more.
  bool worse_than(const Mapping& other) const;
};

// A source line for people: what Module::describe_location says of Node::location.
using LocationText = std::function<std::string(std::uint32_t)>;

// How many copies of the graph the grid has units for; the parameter `replicas` is not looked at.
std::uint32_t copies_that_fit(const DataflowGraph& graph, const Grid& grid);

// Whether links have tracks for the values of two mapped graphs at the same time.
bool share_links(const DataflowGraph& first_graph, const Mapping& first,
                 const DataflowGraph& second_graph, const Mapping& second, std::uint32_t tracks);

// Throws Error that says which class of units or which links ran out, for which source lines (where
// `location_text` can tell), and what would fit.
Mapping map_graph(const DataflowGraph& graph, const Grid& grid,
                  const LocationText& location_text = {});

}  // namespace raddle::machine::cgra
