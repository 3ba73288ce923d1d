#include "report/fabric/fabric_text.h"

#include <fmt/format.h>

#include "base/text_table.h"
#include "report/fabric/node_text.h"

namespace raddle::report {

namespace {

using namespace machine::cgra;

// "n3, n1 +1, (n2)": in parentheses what is only an order, with a sign what comes from another
// thread or, in a loop that stays on the grid, from a turn before.
std::string input_text(const Input& input) {
  std::string text = fmt::format("n{}", input.from);
  if (input.shift != 0) text += " " + shift_text(input.shift);
  return input.control ? "(" + text + ")" : text;
}

std::string own_loop_text(const Node& node, std::size_t place) {
  return input_text({.from = static_cast<std::uint32_t>(place), .shift = node.loop_shift});
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string turns_text(const DataflowGraph& graph) {
  if (!graph.stays) return {};
  return fmt::format(
      "a loop that stays on the grid: {} threads go round; {} leads to the next turn\n",
      kTurnThreads, shift_text(kTurnThreads));
}

std::string place_text(const Grid& grid, UnitClass unit, std::uint32_t place) {
  return grid.describe_vertex(grid.vertex_of(unit, place));
}

}  // namespace

std::string dataflow_text(const DataflowGraph& graph, const LocationText& location_text) {
  TextTable table({"node", "operation", "kind", "unit", "cycles", "from", "source"});
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::vector<std::string> from;
    for (const Input& input : node.inputs) from.push_back(input_text(input));
    if (loops_to_itself(node)) from.push_back(own_loop_text(node, i));
    table.add_row({fmt::format("n{}", i), node_title(node), std::string(name_of(node.kind)),
                   std::string(name_of(node.unit)), fmt::format("{}", node.latency.count()),
                   joined(from), node_place(node, location_text)});
  }
  return fmt::format("{}: {} nodes\n{}\n{}", graph.name, graph.nodes.size(), turns_text(graph),
                     table.to_string());
}

std::string mapping_text(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping,
                         const LocationText& location_text) {
  TextTable table({"copy", "node", "operation", "unit", "at", "from, hops", "source"});
  for (std::size_t copy = 0; copy < mapping.replicas.size(); ++copy) {
    const Replica& replica = mapping.replicas[copy];
    if (copy > 0) table.add_rule();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      std::vector<std::string> from;
      for (std::size_t input = 0; input < node.inputs.size(); ++input)
        from.push_back(
            fmt::format("{}: {}", input_text(node.inputs[input]), replica.hops[i][input]));
      if (loops_to_itself(node)) from.push_back(own_loop_text(node, i));
      table.add_row({fmt::format("{}", copy + 1), fmt::format("n{}", i), node_title(node),
                     std::string(name_of(node.unit)), place_text(grid, node.unit, replica.unit[i]),
                     joined(from), node_place(node, location_text)});
    }
  }
  const std::size_t copies = mapping.replicas.size();
  return fmt::format(
      "{} on {} by {} tiles: {} {}, {} links in use, {} hops in all, the longest way {}\n"
      "{} cycles from the first token to the last; operands wait {} at most for each other\n{}\n{}",
      graph.name, grid.columns(), grid.rows(), copies, copies == 1 ? "copy" : "copies",
      mapping.links_used, mapping.total_hops, mapping.longest_route, mapping.depth.count(),
      mapping.longest_wait.count(), turns_text(graph), table.to_string());
}

}  // namespace raddle::report
