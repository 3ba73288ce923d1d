#include <array>
#include <bit>

#include "lang/e/lowering_state.h"

namespace raddle::e {
namespace {

// An index as a sum: what fibers add, what the flow adds, and a number.
struct IndexSum {
  NodeId fibers = kNoNode;
  FrontOperand flow = FrontOperand::of(0);
  std::int64_t number = 0;
};

bool is_never_negative(const Expr& expr) {
  if (expr.kind == ExprKind::kFiberId || expr.kind == ExprKind::kParentId) return true;
  if (expr.kind == ExprKind::kNumber) return expr.value >= 0;
  if (expr.kind != ExprKind::kBinary) return false;
  const bool left = is_never_negative(*expr.children[0]);
  const bool right = is_never_negative(*expr.children[1]);
  switch (expr.binary) {
    case BinaryOperator::kAnd: return left || right;
    case BinaryOperator::kDiv:
    case BinaryOperator::kSar: return left && right;
    case BinaryOperator::kMod: return left;
    default: return false;
  }
}

}  // namespace

NodeId Lowering::mask_of(NodeId value) {
  return graph_.is_mask(value) ? value : graph_.alu("SNE", value, number(0));
}

// Which fibers take part here; kNoNode: all.
NodeId Lowering::current_mask() {
  if (condition_mask_ != kNoNode) return condition_mask_;
  return flow_.mask_register ? value_of(*flow_.mask_register) : kNoNode;
}

// Fibers that take no part use the sink, at address 0.
NodeId Lowering::masked(NodeId address) {
  const NodeId mask = current_mask();
  return mask == kNoNode ? address : graph_.alu("AND", address, mask);
}

// What the flow has once is computed once, unless that could fault where no fiber takes part.
bool Lowering::is_for_frontend(const Expr& expr) const {
  return expr.rank != Rank::kFiber && !reads_shared(expr) && !(is_masked() && needs_mask(expr));
}

NodeId Lowering::fiber(const Expr& expr) {
  const auto hoisted = hoisted_.find(&expr);
  if (hoisted != hoisted_.end()) {
    if (hoisted->second.front) return graph_.front(*hoisted->second.front);
    return value_of(*hoisted->second.fiber_register);
  }
  if (is_for_frontend(expr)) return graph_.front(front(expr));
  switch (expr.kind) {
    case ExprKind::kFiberId: return graph_.fiber_id();
    case ExprKind::kParentId: return value_of(*flow_.parent_register);
    case ExprKind::kName:
      if (expr.symbol->kind == SymbolKind::kFiber) {
        return value_of(flow_.fiber_registers.at(expr.symbol->id));
      }
      return fiber_load(expr);
    case ExprKind::kElement:
      if (expr.symbol->kind == SymbolKind::kCommon) return graph_.front(front_guarded(expr));
      return fiber_load(expr);
    case ExprKind::kUnary:
    case ExprKind::kFused: return fiber_steps(expr);
    case ExprKind::kConditional: return fiber_conditional(expr);
    default: return fiber_binary(expr);
  }
}

// What all fibers have loaded already is there for those that take part.
NodeId Lowering::fiber_load(const Expr& place) {
  const NodeId address = fiber_address(place);
  if (const NodeId known = graph_.loaded(address); known != kNoNode) return known;
  return graph_.load(masked(address), place.position.line);
}

NodeId Lowering::fiber_binary(const Expr& expr) {
  if (expr.binary == BinaryOperator::kLogicalAnd || expr.binary == BinaryOperator::kLogicalOr) {
    return fiber_conditional(expr);
  }
  if (expr.children[0]->type != Type::kInt) return fiber_steps(expr);
  const NodeId left = fiber(*expr.children[0]);
  const Expr& right_expr = *expr.children[1];
  const bool shrinks = is_never_negative(*expr.children[0]);
  if (right_expr.kind == ExprKind::kNumber && right_expr.value > 0) {
    const auto value = static_cast<std::uint64_t>(right_expr.value);
    const bool is_power = std::has_single_bit(value);
    const int exponent = std::countr_zero(value);
    if (is_power && expr.binary == BinaryOperator::kMul) {
      return graph_.alu("SHL", left, number(exponent));
    }
    if (is_power && shrinks && expr.binary == BinaryOperator::kDiv) {
      return graph_.alu("SHR", left, number(exponent));
    }
    if (is_power && shrinks && expr.binary == BinaryOperator::kMod) {
      return graph_.alu("AND", left, number(right_expr.value - 1));
    }
  }
  NodeId right = fiber(right_expr);
  const bool may_be_zero = right_expr.kind != ExprKind::kNumber || right_expr.value == 0;
  if (divides(expr.binary) && may_be_zero && is_masked()) {
    right = graph_.alu("SEL", current_mask(), right, number(1));
  }
  if (shrinks && expr.binary == BinaryOperator::kSar) return graph_.alu("SHR", left, right);
  return fiber_operation(expr.binary, Type::kInt, left, right, expr.position.line);
}

NodeId Lowering::fiber_operation(BinaryOperator op, Type type, NodeId left, NodeId right,
                                 std::uint32_t line) {
  const NodeId result = graph_.alu(alu_name(op, type), left, right);
  if (divides(op) && type == Type::kInt) graph_.set_line(result, line);
  return result;
}

NodeId Lowering::fiber_steps(const Expr& expr) {
  std::vector<NodeId> values;
  for (const ExprPtr& child : expr.children) values.push_back(fiber(*child));
  NodeId result = values[0];
  for (const AluStep& step : alu_steps(expr)) {
    std::array<NodeId, 3> operands = {kNoNode, kNoNode, kNoNode};
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const AluStep::Source& source = step.operands[i];
      operands[i] = source.is_last     ? result
                    : source.child < 0 ? number(source.number)
                                       : values[static_cast<std::size_t>(source.child)];
    }
    result = graph_.alu(step.name, operands[0], operands[1], operands[2]);
  }
  return result;
}

// c ? a : b, a && b, a || b. Parts that read memory or divide run under the condition's mask.
NodeId Lowering::fiber_conditional(const Expr& expr) {
  const bool logical = expr.kind == ExprKind::kBinary;
  const bool is_or = logical && expr.binary == BinaryOperator::kLogicalOr;
  const NodeId condition = fiber(*expr.children[0]);
  const auto under = [&](const Expr& part, bool wanted) {
    if (!needs_mask(part)) return fiber(part);
    const NodeId saved = condition_mask_;
    const NodeId outer = current_mask();
    NodeId mask = wanted ? mask_of(condition) : graph_.alu("SEQ", condition, number(0));
    if (outer != kNoNode) mask = graph_.alu("AND", mask, outer);
    condition_mask_ = mask;
    const NodeId value = fiber(part);
    condition_mask_ = saved;
    return value;
  };
  const NodeId first = under(*expr.children[1], !is_or);
  if (!logical) return graph_.alu("SEL", condition, first, under(*expr.children[2], false));
  return graph_.alu(is_or ? "OR" : "AND", mask_of(condition), mask_of(first));
}

// base + 8·index, with all that the flow adds to the index already in the base.
NodeId Lowering::fiber_address(const Expr& location) {
  Constant base{symbol_name(location), 0};
  const std::vector<std::int64_t>& extents = shared_symbol(location).extents;
  FrontOperand flow_offset = FrontOperand::of(0);
  NodeId fiber_offset = kNoNode;
  std::int64_t stride = 8;
  for (std::size_t i = location.children.size(); i-- > 0;) {
    IndexSum sum;
    const auto add = [&](auto&& self, const Expr& part, bool negative) -> void {
      if (part.kind == ExprKind::kNumber) {
        sum.number += negative ? -part.value : part.value;
        return;
      }
      const bool is_sum =
          part.kind == ExprKind::kBinary && hoisted_.count(&part) == 0 &&
          (part.binary == BinaryOperator::kAdd || part.binary == BinaryOperator::kSub);
      if (is_sum && part.rank == Rank::kFiber) {
        self(self, *part.children[0], negative);
        self(self, *part.children[1], negative != (part.binary == BinaryOperator::kSub));
        return;
      }
      const char* name = negative ? "SUB" : "ADD";
      if (is_for_frontend(part)) {
        const FrontOperand value = front(part);
        const bool is_first = sum.flow.is_number(0) && !negative;
        sum.flow = is_first ? value : front_alu(name, sum.flow, value);
        return;
      }
      const NodeId value = fiber(part);
      if (sum.fibers == kNoNode && !negative) {
        sum.fibers = value;
      } else {
        sum.fibers = graph_.alu(name, sum.fibers == kNoNode ? number(0) : sum.fibers, value);
      }
    };
    add(add, *location.children[i], false);
    base.number += sum.number * stride;
    const auto bits = static_cast<std::uint64_t>(stride);
    const bool is_power = std::has_single_bit(bits);
    const std::int64_t amount = is_power ? std::countr_zero(bits) : stride;
    const char* scale = is_power ? "SHL" : "MUL";
    if (!sum.flow.is_number(0)) {
      const FrontOperand scaled = front_alu(scale, sum.flow, FrontOperand::of(amount));
      flow_offset = flow_offset.is_number(0) ? scaled : front_alu("ADD", flow_offset, scaled);
    }
    if (sum.fibers != kNoNode) {
      const NodeId scaled = graph_.alu(scale, sum.fibers, number(amount));
      fiber_offset = fiber_offset == kNoNode ? scaled : graph_.alu("ADD", fiber_offset, scaled);
    }
    if (i < extents.size()) stride *= extents[i];
  }
  const FrontOperand start = flow_offset.is_number(0)
                                 ? FrontOperand::of(base)
                                 : front_alu("ADD", flow_offset, FrontOperand::of(base));
  const NodeId start_node = graph_.front(start);
  return fiber_offset == kNoNode ? start_node : graph_.alu("ADD", start_node, fiber_offset);
}

}  // namespace raddle::e
