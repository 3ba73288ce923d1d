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
  // `hops` by edge. From a thread's injection to its last token.
  Cycle longest(std::span<const std::uint32_t> hops, Cycle hop_cycles);
  // After longest(): by how much the edge could be longer without lengthening that path.
  Cycle slack(std::size_t edge) const { return slack_[edge]; }
  // After longest(): how long the edge's token waits for the last operand of its node.
  Cycle wait(std::size_t edge) const { return wait_[edge]; }

 private:
  std::vector<GraphEdge> edges_;
  std::vector<Cycle> latency_;        // by node
  std::vector<std::uint32_t> order_;  // forward edges, by their place along the paths
  std::vector<Cycle> arrival_;        // by node
  std::vector<Cycle> remaining_;      // by node: from its firing to the end
  std::vector<Cycle> slack_;
  std::vector<Cycle> wait_;
};

}  // namespace raddle::machine::cgra
