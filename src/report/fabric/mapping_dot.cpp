#include <fmt/format.h>

#include "report/fabric/dot_text.h"
#include "report/fabric/mapping_drawing.h"

namespace raddle::report {

namespace {

using namespace machine::cgra;

// In points, as neato -n takes them.
constexpr int kAcross = 90;
constexpr int kDown = 60;

std::string position(const Grid& grid, UnitClass unit, std::uint32_t place) {
  if (unit != UnitClass::kPort) {
    const std::uint32_t tile = grid.units()[place].tile;
    return fmt::format(", pos=\"{},{}!\"", kAcross * static_cast<int>(grid.column_of(tile)),
                       -kDown * static_cast<int>(grid.row_of(tile)));
  }
  // Ports lie beyond the edge, half-way to the next tile.
  const Port& port = grid.ports()[place];
  const bool left = port.edge == Edge::kLeft;
  const int x =
      kAcross * static_cast<int>(grid.column_of(port.tile)) + (left ? -kAcross : kAcross / 2);
  const int y = -kDown * static_cast<int>(grid.row_of(port.tile)) + (left ? -kDown / 2 : kDown);
  return fmt::format(", pos=\"{},{}!\"", x, y);
}

}  // namespace

std::string mapping_dot(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping,
                        const LocationText& location_text) {
  std::string dot = dot_head(graph.name + " on the grid") + "  layout=neato;\n";
  for (std::size_t replica = 0; replica < mapping.replicas.size(); ++replica) {
    const Replica& copy = mapping.replicas[replica];
    const auto id = [replica](std::uint32_t node) { return fmt::format("r{}n{}", replica, node); };
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
      dot += dot_node(id(node), graph.nodes[node], location_text,
                      position(grid, graph.nodes[node].unit, copy.unit[node]));
    }
    for (std::uint32_t to = 0; to < graph.nodes.size(); ++to) {
      for (std::size_t i = 0; i < graph.nodes[to].inputs.size(); ++i) {
        const Input& input = graph.nodes[to].inputs[i];
        dot += dot_edge(id(input.from), id(to), input, false, fmt::format("{}", copy.hops[to][i]));
      }
    }
  }
  return dot + "}\n";
}

}  // namespace raddle::report
