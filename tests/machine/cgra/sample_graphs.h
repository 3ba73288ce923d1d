// Dataflow graphs made by hand or at random, for tests of the mapper and of drawings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/unit_pattern.h"

namespace raddle::machine::cgra {

// A graph of a source alone, to which nodes are added.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name);

  // Returns the number of the node.
  std::uint32_t add(UnitClass unit, std::string label, const std::vector<std::uint32_t>& from,
                    std::uint32_t location = 0);
  std::uint32_t add(NodeKind kind, UnitClass unit, std::string label,
                    const std::vector<std::uint32_t>& from, std::uint32_t location = 0);
  Node& node(std::uint32_t number) { return graph_.nodes[number]; }
  DataflowGraph take() { return std::move(graph_); }

 private:
  DataflowGraph graph_;
};

DataflowGraph chain_graph(std::uint32_t length, UnitClass unit = UnitClass::kAlu);
// The source sends to every one of so many nodes.
DataflowGraph fan_out_graph(std::uint32_t nodes);
// Nodes of given classes in random order, each with one to three inputs from nodes before it, most
// of them from shortly before.
DataflowGraph random_graph(std::uint64_t seed, const UnitCounts& units);
// x[i] = a * x[i] + y[i], with a bound on i: two loads, a store, an exit.
DataflowGraph saxpy_graph();
// Prefix sum between threads (dmt-cgra, Figure 6): an elevator and an adder in a loop.
DataflowGraph scan_graph();

}  // namespace raddle::machine::cgra
