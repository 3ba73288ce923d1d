// When tokens arrive where, seen from a graph and the hops of its inputs: the longest path through
// the graph, how much earlier than the last operand each operand comes, and which edges lie on a
// recurrence, whose length bounds how fast threads follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

// An input of a node. All inputs of a graph are numbered, node by node.
struct GraphEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool recurrent = false;  // lies on a cycle
  bool forward = true;     // counts for the longest path: not what closes a cycle
};

std::vector<GraphEdge> edges_of(const DataflowGraph& graph);

class GraphPaths {
 public:
  explicit GraphPaths(const DataflowGraph& graph);

  std::span<const GraphEdge> edges() const { return edges_; }
  // `hops` by edge. Cycles from a thread's injection to its last token.
  std::uint32_t longest(std::span<const std::uint32_t> hops, std::uint32_t hop_cycles);
  // After longest(): cycles by which the edge could be longer without lengthening that path.
  std::uint32_t slack(std::size_t edge) const { return slack_[edge]; }
  // After longest(): cycles that the edge's token waits for the last operand of its node.
  std::uint32_t wait(std::size_t edge) const { return wait_[edge]; }

 private:
  std::vector<GraphEdge> edges_;
  std::vector<std::uint32_t> latency_;    // by node
  std::vector<std::uint32_t> order_;      // forward edges, by their place along the paths
  std::vector<std::uint32_t> arrival_;    // by node
  std::vector<std::uint32_t> remaining_;  // by node: cycles from its firing to the end
  std::vector<std::uint32_t> slack_;
  std::vector<std::uint32_t> wait_;
};

}  // namespace raddle::machine::cgra
