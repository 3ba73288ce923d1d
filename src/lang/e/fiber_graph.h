// What one straight piece of a flow computes in its fibers, as a graph: values that are computed
// once however often they are written, and the operations on shared memory in their order. The
// scheduler turns it into VLIW lines.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lang/e/code.h"

namespace raddle::e {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffu;

struct FiberNode {
  enum class Kind : std::uint8_t {
    kFront,     // an operand slot
    kFiberId,   // FID
    kVariable,  // a fiber register as it was when the piece began
    kAlu,
    kMemory,  // a result of an action
  } kind = Kind::kFront;
  FrontOperand front;
  std::string name;  // of the ALU operation
  std::array<NodeId, 3> operands{kNoNode, kNoNode, kNoNode};
  std::uint32_t number = 0;       // register, or action
  std::uint32_t port = 0;         // of a memory result: M0 or M1
  std::uint32_t source_line = 0;  // of what may fault: a division
};

// One subinstruction of the memory unit.
struct FiberAction {
  std::string name;  // "LDD", "BMMIN"
  std::vector<NodeId> operands;
  bool sends_entries = false;  // EM, OMP …: fibers do not pass, nothing can be written back
  std::uint32_t source_line = 0;
};

class FiberGraph {
 public:
  NodeId front(const FrontOperand& operand);
  NodeId fiber_id();
  NodeId variable(std::uint32_t reg);
  // Constants are folded where both operands are numbers, neutral operations left out.
  NodeId alu(std::string_view name, NodeId a, NodeId b, NodeId c = kNoNode);
  NodeId load(NodeId address, std::uint32_t source_line);
  // What was loaded from this address and is still so; kNoNode: nothing.
  NodeId loaded(NodeId address) const;
  // An action with a result (M0; M1 by result_of).
  std::uint32_t act(FiberAction action);
  NodeId result_of(std::uint32_t action, std::uint32_t port = 0);

  // Where a division is written; the first place stays where several mean one value.
  void set_line(NodeId id, std::uint32_t line) {
    if (nodes_[id].source_line == 0) nodes_[id].source_line = line;
  }

  const FiberNode& node(NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<FiberAction>& actions() const { return actions_; }
  std::vector<FiberAction>& actions() { return actions_; }
  bool empty() const { return actions_.empty() && nodes_.empty(); }
  bool is_number(NodeId id, std::int64_t value) const {
    return nodes_[id].kind == FiberNode::Kind::kFront && nodes_[id].front.is_number(value);
  }
  // Comparisons give -1 or 0 and are masks as they are.
  bool is_mask(NodeId id) const;

 private:
  NodeId add(FiberNode node);

  using Key = std::tuple<FiberNode::Kind, FrontOperand, std::string, std::array<NodeId, 3>,
                         std::uint32_t, std::uint32_t>;
  std::vector<FiberNode> nodes_;
  std::vector<FiberAction> actions_;
  std::map<Key, NodeId> known_;
  // Loads since the last change of memory, by address.
  std::map<NodeId, NodeId> loaded_;
};

}  // namespace raddle::e
