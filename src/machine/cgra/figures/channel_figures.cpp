#include "machine/cgra/figures/channel_figures.h"

#include <algorithm>
#include <cstdlib>

namespace raddle::machine::cgra {

namespace {

struct ChannelCounts {
  std::uint64_t elevators = 0, buffers = 0;
  std::uint64_t by_elevators = 0, by_load_units = 0, by_live_values = 0;
  std::uint32_t longest = 0, shortest = 0;

  void add_shift(std::int32_t shift) {
    const auto distance = static_cast<std::uint32_t>(std::abs(shift));
    if (distance == 0) {
      ++buffers;
      return;
    }
    shortest = elevators == 0 ? distance : std::min(shortest, distance);
    longest = std::max(longest, distance);
    ++elevators;
  }
};

void add_piece(const Piece& piece, const FabricNodeCounts& counted, ChannelCounts& counts) {
  const std::vector<Node>& nodes = piece.graph.graph.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    const std::uint64_t firings = n < counted.firings.size() ? counted.firings[n] : 0;
    switch (node.kind) {
      case NodeKind::kElevator:
        counts.add_shift(node.inputs[0].shift);
        if (node.delivers) counts.by_elevators += firings;
        break;
      case NodeKind::kReceiveLoad: counts.by_load_units += firings; break;
      case NodeKind::kLiveIn:
        if (std::ranges::find(piece.far_receives, piece.graph.node_code[n]) !=
            piece.far_receives.end())
          counts.by_live_values += firings;
        break;
      default: break;
    }
  }
}

}  // namespace

std::vector<sim::StatValue> channel_figures(const FabricKernel& kernel,
                                            const std::vector<FabricNodeCounts>& nodes) {
  ChannelCounts counts;
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p)
    add_piece(kernel.pieces[p], nodes[p], counts);
  if (counts.elevators + counts.by_load_units + counts.by_live_values == 0) return {};
  const auto stat = [](const char* name, const char* unit, const char* sentence, auto value) {
    return sim::StatValue{"channels", name, unit, sentence, static_cast<double>(value)};
  };
  return {
      stat("elevators", "nodes", "elevators of the graphs, one copy of each", counts.elevators),
      stat("buffers", "nodes", "elevators that only buffer, one copy of each", counts.buffers),
      stat("longest_shift", "threads", "the longest path of a token through one elevator",
           counts.longest),
      stat("shortest_shift", "threads", "the shortest path of a token through one elevator",
           counts.shortest),
      stat("by_elevators", "values", "received from elevators, constants included",
           counts.by_elevators),
      stat("by_load_units", "values", "received from or loaded by enhanced load/store units",
           counts.by_load_units),
      stat("by_live_values", "values", "received through the live-value cache, constants included",
           counts.by_live_values),
  };
}

}  // namespace raddle::machine::cgra
