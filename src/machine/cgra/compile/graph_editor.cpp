#include "machine/cgra/compile/graph_editor.h"

#include <utility>

namespace raddle::machine::cgra {

std::uint32_t GraphEditor::new_control(std::uint32_t like, NodeKind kind, std::string label) {
  Node node;
  node.kind = kind;
  node.unit = UnitClass::kControl;
  node.latency =
      kind == NodeKind::kElevator ? options_.latencies.elevator : options_.latencies.control;
  node.receive = piece_.graph.nodes[like].receive;
  node.bytes = piece_.graph.nodes[like].bytes;
  node.location = piece_.graph.nodes[like].location;
  node.label = std::move(label);
  piece_.graph.nodes.push_back(std::move(node));
  piece_.node_code.push_back(kNoCode);
  return static_cast<std::uint32_t>(piece_.graph.nodes.size() - 1);
}

std::uint32_t GraphEditor::buffered(std::uint32_t producer, std::int32_t stages) {
  std::vector<std::uint32_t>& chain = buffers_[producer];
  while (static_cast<std::int32_t>(chain.size()) < stages) {
    const std::uint32_t before = chain.empty() ? producer : chain.back();
    const std::uint32_t buffer = new_control(producer, NodeKind::kElevator, "buffer");
    piece_.graph.nodes[buffer].delivers = false;
    piece_.graph.nodes[buffer].inputs = {{.from = before}};
    chain.push_back(buffer);
  }
  return chain[static_cast<std::size_t>(stages - 1)];
}

void GraphEditor::renumber() {
  DataflowGraph& graph = piece_.graph;
  std::vector<std::uint32_t> place(graph.nodes.size(), kNoCode);
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> state(graph.nodes.size(), 0);
  const auto visit = [&](auto& self, std::uint32_t n) -> void {
    if (state[n] != 0) return;
    state[n] = 1;
    for (const Input& input : graph.nodes[n].inputs) self(self, input.from);
    place[n] = static_cast<std::uint32_t>(order.size());
    order.push_back(n);
  };
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) visit(visit, n);
  std::vector<Node> nodes;
  std::vector<std::uint32_t> codes;
  for (const std::uint32_t n : order) {
    Node node = std::move(graph.nodes[n]);
    for (Input& input : node.inputs) input.from = place[input.from];
    nodes.push_back(std::move(node));
    codes.push_back(piece_.node_code[n]);
  }
  graph.nodes = std::move(nodes);
  piece_.node_code = std::move(codes);
}

}  // namespace raddle::machine::cgra
