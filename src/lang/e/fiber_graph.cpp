#include "lang/e/fiber_graph.h"

#include <utility>

namespace raddle::e {

NodeId FiberGraph::add(FiberNode node) {
  Key key{node.kind, node.front, node.name, node.operands, node.number, node.port};
  const auto [place, fresh] =
      known_.try_emplace(std::move(key), static_cast<NodeId>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return place->second;
}

NodeId FiberGraph::front(const FrontOperand& operand) {
  FiberNode node;
  node.kind = FiberNode::Kind::kFront;
  node.front = operand;
  return add(std::move(node));
}

NodeId FiberGraph::fiber_id() {
  FiberNode node;
  node.kind = FiberNode::Kind::kFiberId;
  return add(std::move(node));
}

NodeId FiberGraph::variable(std::uint32_t reg) {
  FiberNode node;
  node.kind = FiberNode::Kind::kVariable;
  node.number = reg;
  return add(std::move(node));
}

NodeId FiberGraph::alu(std::string_view name, NodeId a, NodeId b, NodeId c) {
  const bool is_sum = name == "ADD" || name == "SUB" || name == "OR" || name == "XOR";
  const bool is_shift = name == "SHL" || name == "SHR" || name == "SAR";
  if ((is_sum || is_shift) && is_number(b, 0)) return a;
  if ((name == "ADD" || name == "OR" || name == "XOR") && is_number(a, 0)) return b;
  if (name == "AND" && is_number(b, -1)) return a;
  if (name == "MUL" && is_number(b, 1)) return a;
  FiberNode node;
  node.kind = FiberNode::Kind::kAlu;
  node.name = std::string(name);
  node.operands = {a, b, c};
  return add(std::move(node));
}

NodeId FiberGraph::load(NodeId address, std::uint32_t source_line) {
  if (const NodeId known = loaded(address); known != kNoNode) return known;
  FiberAction action;
  action.name = "LDD";
  action.operands = {address};
  action.source_line = source_line;
  actions_.push_back(std::move(action));
  const NodeId result = result_of(static_cast<std::uint32_t>(actions_.size() - 1));
  loaded_[address] = result;
  return result;
}

NodeId FiberGraph::loaded(NodeId address) const {
  const auto known = loaded_.find(address);
  return known == loaded_.end() ? kNoNode : known->second;
}

std::uint32_t FiberGraph::act(FiberAction action) {
  loaded_.clear();
  actions_.push_back(std::move(action));
  return static_cast<std::uint32_t>(actions_.size() - 1);
}

NodeId FiberGraph::result_of(std::uint32_t action, std::uint32_t port) {
  FiberNode node;
  node.kind = FiberNode::Kind::kMemory;
  node.number = action;
  node.port = port;
  return add(std::move(node));
}

bool FiberGraph::is_mask(NodeId id) const {
  const FiberNode& node = nodes_[id];
  if (node.kind == FiberNode::Kind::kFront) {
    return node.front.is_number(0) || node.front.is_number(-1);
  }
  if (node.kind != FiberNode::Kind::kAlu) return false;
  if (node.name == "AND" || node.name == "OR" || node.name == "XOR" || node.name == "ANN") {
    return is_mask(node.operands[0]) && is_mask(node.operands[1]);
  }
  if (node.name.starts_with("FS")) {
    return !node.name.starts_with("FSUB") && !node.name.starts_with("FSQRT");
  }
  return node.name[0] == 'S' && node.name != "SUB" && node.name != "SHL" && node.name != "SHR" &&
         node.name != "SAR" && node.name != "SEL";
}

}  // namespace raddle::e
