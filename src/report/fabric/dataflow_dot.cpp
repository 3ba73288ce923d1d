#include <fmt/format.h>

#include "machine/cgra/compile/graph_paths.h"
#include "report/fabric/dataflow_drawing.h"
#include "report/fabric/dot_text.h"
#include "report/fabric/node_text.h"

namespace raddle::report {

using namespace machine::cgra;

std::string dataflow_dot(const DataflowGraph& graph, const LocationText& location_text) {
  const auto id = [](std::uint32_t node) { return fmt::format("n{}", node); };
  std::string dot = dot_head(graph.name);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    dot += dot_node(id(i), graph.nodes[i], location_text);
  const std::vector<GraphEdge> edges = edges_of(graph);
  std::size_t edge = 0;
  for (std::uint32_t to = 0; to < graph.nodes.size(); ++to) {
    const Node& node = graph.nodes[to];
    for (const Input& input : node.inputs)
      dot += dot_edge(id(input.from), id(to), input, !edges[edge++].forward);
    if (loops_to_itself(node))
      dot += dot_edge(id(to), id(to), {.from = to, .shift = node.loop_shift}, true);
  }
  return dot + "}\n";
}

}  // namespace raddle::report
