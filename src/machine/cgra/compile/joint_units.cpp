#include "machine/cgra/compile/joint_units.h"

#include <algorithm>
#include <utility>

#include "machine/cgra/compile/graph_editor.h"
#include "machine/cgra/compile/graph_paths.h"

namespace raddle::machine::cgra {

namespace {

// Further units cost links and energy: for less they are left alone.
constexpr double kMinGain = 1.05;

std::vector<bool> recurrent_nodes(const DataflowGraph& graph) {
  std::vector<bool> recurrent(graph.nodes.size(), false);
  for (const GraphEdge& edge : edges_of(graph)) {
    if (edge.recurrent) recurrent[edge.from] = recurrent[edge.to] = true;
  }
  return recurrent;
}

// The graph with so many units on each operation that it takes a thread every `interval` cycles.
PieceGraph joined(PieceGraph piece, const GraphOptions& options, Cycle interval,
                  const std::vector<bool>& is_alone) {
  const std::size_t count = piece.graph.nodes.size();
  for (std::uint32_t n = 0; n < count; ++n) {
    if (piece.graph.nodes[n].interval <= interval || is_alone[n]) continue;
    const std::uint64_t units =
        (piece.graph.nodes[n].unit_cycles.count() + interval.count() - 1) / interval.count();
    Node part = piece.graph.nodes[n];
    part.interval = interval;
    part.label = "part of " + part.label;
    piece.graph.nodes[n].interval = interval;
    for (std::uint64_t u = 1; u < units; ++u) {
      piece.graph.nodes[n].inputs.push_back(
          {.from = static_cast<std::uint32_t>(piece.graph.nodes.size())});
      piece.graph.nodes.push_back(part);
      piece.node_code.push_back(kNoCode);
    }
  }
  GraphEditor(piece, options).renumber();
  return piece;
}

}  // namespace

double threads_a_cycle(const PieceGraph& piece, const GraphOptions& options,
                       const UnitBudget& units, std::uint32_t most) {
  const CopiesAndRate best = balanced_copies(piece, options, units, most);
  return best.copies * best.rate;
}

void join_units(PieceGraph& piece, const GraphOptions& options, const UnitBudget& units,
                std::uint32_t most) {
  const Cycle longest = longest_interval(piece.graph);
  if (longest == Cycle(1) || options.joint_units <= 1) return;
  if (copies_within(piece.graph.units_needed(), units) == 0) return;
  const std::vector<bool> recurrent = recurrent_nodes(piece.graph);
  const PieceGraph alone = piece;
  double threads = threads_a_cycle(piece, options, units, most);
  for (std::uint64_t share = 2; share <= options.joint_units; share *= 2) {
    const Cycle interval((longest.count() + share - 1) / share);
    PieceGraph other = joined(alone, options, interval, recurrent);
    if (copies_within(other.graph.units_needed(), units) == 0) return;
    const double with = threads_a_cycle(other, options, units, most);
    if (with < kMinGain * threads) continue;
    threads = with;
    piece = std::move(other);
  }
}

}  // namespace raddle::machine::cgra
