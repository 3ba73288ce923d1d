#include "machine/cgra/compile/graph_paths.h"

#include <algorithm>

namespace raddle::machine::cgra {

namespace {

// Strongly connected components by Tarjan's algorithm, with a stack of its own.
class Components {
 public:
  Components(std::size_t nodes, std::span<const GraphEdge> edges)
      : first_(nodes + 1), component_(nodes, kNone), index_(nodes, kNone), low_(nodes) {
    for (const GraphEdge& edge : edges) ++first_[edge.from + 1];
    for (std::size_t i = 0; i < nodes; ++i) first_[i + 1] += first_[i];
    successors_.resize(edges.size());
    std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
    for (const GraphEdge& edge : edges) successors_[fill[edge.from]++] = edge.to;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (index_[node] == kNone) visit(node);
    }
  }

  std::uint32_t of(std::uint32_t node) const { return component_[node]; }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Frame {
    std::uint32_t node;
    std::uint32_t next;
  };

  void enter(std::uint32_t node) {
    index_[node] = low_[node] = counter_++;
    open_.push_back(node);
    frames_.push_back({node, first_[node]});
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::uint32_t node = frame.node;
      if (frame.next < first_[node + 1]) {
        const std::uint32_t successor = successors_[frame.next++];
        if (index_[successor] == kNone)
          enter(successor);
        else if (component_[successor] == kNone)
          low_[node] = std::min(low_[node], index_[successor]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        const std::uint32_t parent = frames_.back().node;
        low_[parent] = std::min(low_[parent], low_[node]);
      }
      if (low_[node] == index_[node]) close(node);
    }
  }

  void close(std::uint32_t root) {
    std::uint32_t node = 0;
    do {
      node = open_.back();
      open_.pop_back();
      component_[node] = components_;
    } while (node != root);
    ++components_;
  }

  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> successors_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t counter_ = 0;
  std::uint32_t components_ = 0;
};

}  // namespace

std::vector<GraphEdge> edges_of(const DataflowGraph& graph) {
  std::vector<GraphEdge> edges;
  std::vector<GraphEdge> in_thread;
  std::vector<bool> temporal;  // by edge
  for (std::uint32_t to = 0; to < graph.nodes.size(); ++to) {
    for (const Input& input : graph.nodes[to].inputs) {
      edges.push_back({.from = input.from, .to = to});
      temporal.push_back(input.shift != 0);
      if (input.shift == 0) in_thread.push_back(edges.back());
    }
  }
  // What goes from thread to thread closes the cycles that a graph may have. Cycles without such an
  // edge are none of a kernel; they are cut where they go back to an earlier node.
  const Components all(graph.nodes.size(), edges);
  const Components own(graph.nodes.size(), in_thread);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    GraphEdge& edge = edges[i];
    edge.recurrent = all.of(edge.from) == all.of(edge.to);
    const bool cyclic = own.of(edge.from) == own.of(edge.to);
    edge.forward = !edge.recurrent || (!temporal[i] && (!cyclic || edge.from < edge.to));
  }
  return edges;
}

GraphPaths::GraphPaths(const DataflowGraph& graph) : edges_(edges_of(graph)) {
  const std::size_t nodes = graph.nodes.size();
  arrival_.resize(nodes);
  remaining_.resize(nodes);
  slack_.resize(edges_.size());
  wait_.resize(edges_.size());
  for (const Node& node : graph.nodes) latency_.push_back(node.latency);
  // A topological order of the nodes over forward edges, then edges by the node they leave.
  std::vector<std::uint32_t> missing(nodes);
  std::vector<std::vector<std::uint32_t>> leaving(nodes);
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    if (!edges_[i].forward) continue;
    ++missing[edges_[i].to];
    leaving[edges_[i].from].push_back(i);
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (missing[node] == 0) ready.push_back(node);
  }
  for (std::size_t next = 0; next < ready.size(); ++next) {
    for (const std::uint32_t edge : leaving[ready[next]]) {
      order_.push_back(edge);
      if (--missing[edges_[edge].to] == 0) ready.push_back(edges_[edge].to);
    }
  }
}

Cycle GraphPaths::longest(std::span<const std::uint32_t> hops, Cycle hop_cycles) {
  const auto length = [&](std::uint32_t edge) {
    return latency_[edges_[edge].from] + hops[edge] * hop_cycles;
  };
  std::fill(arrival_.begin(), arrival_.end(), Cycle(0));
  remaining_ = latency_;
  for (const std::uint32_t edge : order_) {
    Cycle& arrival = arrival_[edges_[edge].to];
    arrival = std::max(arrival, arrival_[edges_[edge].from] + length(edge));
  }
  for (std::size_t i = order_.size(); i-- > 0;) {
    Cycle& remaining = remaining_[edges_[order_[i]].from];
    remaining = std::max(remaining, length(order_[i]) + remaining_[edges_[order_[i]].to]);
  }
  Cycle longest;
  for (std::size_t node = 0; node < arrival_.size(); ++node)
    longest = std::max(longest, arrival_[node] + remaining_[node]);
  for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) {
    const Cycle there = arrival_[edges_[edge].from] + length(edge);
    const Cycle through = there + remaining_[edges_[edge].to];
    slack_[edge] = longest > through ? longest - through : Cycle(0);
    const Cycle last = arrival_[edges_[edge].to];
    wait_[edge] = last > there ? last - there : Cycle(0);
  }
  return longest;
}

}  // namespace raddle::machine::cgra
