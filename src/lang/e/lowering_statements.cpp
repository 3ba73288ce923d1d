#include <span>
#include <utility>

#include "base/stop_token.h"
#include "lang/e/lowering_state.h"

namespace raddle::e {
namespace {

constexpr std::size_t kMaxItems = 500'000;

bool divides_integers(const Statement& assignment) {
  return assignment.op && divides(*assignment.op) && assignment.target->type == Type::kInt;
}

}  // namespace

void Lowering::lower(const Statement& statement) {
  throw_if_stopped(kCompilingE);
  const std::uint32_t front = flow_.next_front;
  const std::uint32_t fiber = flow_.next_fiber;
  source_line_ = statement.position.line;
  if (items_.size() > kMaxItems) {
    diagnostics_.error(statement.position,
                       "the program is too large where its functions are expanded",
                       "functions that call each other several times grow by each call");
    return;
  }
  lower_statement(statement);
  hoisted_.clear();
  // What a declaration makes lives on; all else was for this statement.
  if (statement.kind != StatementKind::kDeclare) release(front, fiber);
  flush_if_large();
}

void Lowering::lower_statement(const Statement& statement) {
  const bool is_loop =
      statement.kind == StatementKind::kWhile || statement.kind == StatementKind::kDoWhile ||
      statement.kind == StatementKind::kFor || statement.kind == StatementKind::kParLoop;
  if (!is_loop && statement.kind != StatementKind::kDeclare) {
    if (statement.target) hoist_calls(*statement.target);
    for (const ExprPtr& operand : statement.operands) hoist_calls(*operand);
    if (statement.value) hoist_calls(*statement.value);
    if (statement.target) hoist_reductions(*statement.target);
    for (const ExprPtr& operand : statement.operands) hoist_reductions(*operand);
    if (statement.value) hoist_reductions(*statement.value);
  }
  switch (statement.kind) {
    case StatementKind::kEmpty:
    case StatementKind::kCall:
    case StatementKind::kAssert:
    case StatementKind::kPrint: return;
    case StatementKind::kBlock: return lower_block(statement.body);
    case StatementKind::kDeclare: return lower_declaration(statement);
    case StatementKind::kAssign: return lower_assignment(statement);
    case StatementKind::kSetThickness: return lower_set_thickness(statement);
    case StatementKind::kThick: return lower_thick(statement);
    case StatementKind::kIf:
      return statement.fiberwise ? lower_fiberwise_if(statement) : lower_if(statement);
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return statement.fiberwise ? lower_fiberwise_loop(statement) : lower_loop(statement);
    case StatementKind::kBreak:
    case StatementKind::kContinue: return lower_jump(statement);
    case StatementKind::kReturn: return lower_return(statement);
    case StatementKind::kMulti: return lower_multi(statement);
    case StatementKind::kPrefix: return lower_prefix(statement);
    case StatementKind::kCompact:
    case StatementKind::kPartition: return lower_compaction(statement);
    case StatementKind::kSplit: return lower_split(statement);
    case StatementKind::kPar: return lower_par(statement);
    case StatementKind::kParFor: return lower_par_for(statement);
    case StatementKind::kParLoop: return lower_par_loop(statement);
  }
}

void Lowering::lower_block(const std::vector<StatementPtr>& statements) {
  const std::uint32_t front = flow_.next_front;
  const std::uint32_t fiber = flow_.next_fiber;
  for (const StatementPtr& statement : statements) lower(*statement);
  release(front, fiber);
}

void Lowering::lower_declaration(const Statement& statement) {
  for (const Declaration& declaration : statement.declarations) {
    const Symbol& symbol = *declaration.symbol;
    if (symbol.kind == SymbolKind::kShared || !symbol.extents.empty()) continue;
    const bool has_value = declaration.init == Declaration::Init::kValue;
    // The variable's register is taken before those of its value, which are then given back.
    const bool is_fiber = symbol.kind == SymbolKind::kFiber;
    const std::uint32_t reg = is_fiber ? new_fiber_register(declaration.position)
                                       : new_front_register(declaration.position);
    const std::uint32_t front_level = flow_.next_front;
    const std::uint32_t fiber_level = flow_.next_fiber;
    if (has_value) hoist(*declaration.values[0]);
    if (is_fiber) {
      assign_fiber(reg, has_value ? fiber(*declaration.values[0]) : number(0));
      flow_.fiber_registers[symbol.id] = reg;
    } else {
      if (!graph_.empty()) flush();
      front_into(reg, has_value ? front_guarded(*declaration.values[0]) : FrontOperand::of(0));
      flow_.front_registers[symbol.id] = reg;
    }
    hoisted_.clear();
    release(front_level, fiber_level);
    flush_if_large();
  }
}

// With one fiber and nothing that fibers have, the frontend stores itself.
bool Lowering::runs_in_frontend(const Statement& statement) const {
  return flow_.region.known() == 1 && !flow_.mask_register &&
         statement.target->rank != Rank::kFiber && statement.value->rank != Rank::kFiber;
}

void Lowering::lower_assignment(const Statement& statement) {
  const Expr& target = *statement.target;
  const Symbol& symbol = *target.symbol;
  if (symbol.kind == SymbolKind::kCommon) {
    flush();
    FrontOperand value = front_guarded(*statement.value);
    if (divides_integers(statement) && is_masked()) {
      const FrontOperand divisor = value;
      fault_unless(front_truth(divisor), source_line_);
      value = front_alu("SEL", divisor, divisor, FrontOperand::of(1));
    }
    if (statement.op) value = front_alu(alu_name(*statement.op, symbol.type), front(target), value);
    if (symbol.extents.empty()) {
      front_into(flow_.front_registers.at(symbol.id), value);
    } else {
      const FrontOperand address = front_address(target);
      emit(FrontOp{FrontOp::Kind::kStoreLocal, {}, {value, address}, {}});
    }
    return;
  }
  if (symbol.kind != SymbolKind::kFiber) return assign_shared(statement);
  const std::uint32_t reg = flow_.fiber_registers.at(symbol.id);
  NodeId value = fiber(*statement.value);
  if (statement.op) {
    if (divides_integers(statement) && current_mask() != kNoNode) {
      value = graph_.alu("SEL", current_mask(), value, number(1));
    }
    value = fiber_operation(*statement.op, symbol.type, value_of(reg), value, source_line_);
  }
  if (flow_.mask_register) {
    value = graph_.alu("SEL", current_mask(), value, value_of(reg));
  }
  assign_fiber(reg, value);
}

void Lowering::assign_shared(const Statement& statement) {
  const Expr& target = *statement.target;
  touch(target);
  if (runs_in_frontend(statement)) {
    flush();
    FrontOperand value = front(*statement.value);
    const FrontOperand address = front_address(target);
    if (statement.op) {
      value = front_alu(alu_name(*statement.op, target.type),
                        front_load(FrontOp::Kind::kLoadShared, address), value);
    }
    emit(FrontOp{FrontOp::Kind::kStoreShared, {}, {value, address}, {}});
    return;
  }
  const NodeId address = masked(fiber_address(target));
  NodeId value = kNoNode;
  if (statement.op) {
    const NodeId old = graph_.load(address, source_line_);
    NodeId right = fiber(*statement.value);
    if (divides_integers(statement) && current_mask() != kNoNode) {
      right = graph_.alu("SEL", current_mask(), right, number(1));
    }
    value = fiber_operation(*statement.op, target.type, old, right, source_line_);
  } else {
    value = fiber(*statement.value);
  }
  act("STD", {value, address});
}

void Lowering::lower_thick(const Statement& statement) {
  flush();
  const RegionState outer = flow_.region;
  const std::optional<std::uint32_t> parent = std::exchange(flow_.parent_register, std::nullopt);
  const bool is_number = statement.value->kind == ExprKind::kNumber;
  FrontOperand thickness = front(*statement.value);
  thickness = front_alu("MAX", thickness, FrontOperand::of(0));
  if (!is_number || statement.sets_thickness) {
    const std::uint32_t reg = new_front_register(statement.position);
    front_into(reg, thickness);
    thickness = FrontOperand::in_register(reg);
    if (machine_thickness_ == thickness) machine_thickness_.reset();
  }
  flow_.region.thickness = thickness;
  // Nothing of an outer region is kept in registers: the layout may change.
  if (flow_.next_fiber == 0) flow_.region.group = next_group_++;
  hoisted_.clear();
  lower(*statement.body[0]);
  flush();
  flow_.region = outer;
  flow_.parent_register = parent;
}

void Lowering::lower_set_thickness(const Statement& statement) {
  flush();
  FrontOperand value = front(*statement.value);
  if (statement.op) value = front_alu(alu_name(*statement.op), flow_.region.thickness, value);
  if (!value.is_number()) value = front_alu("MAX", value, FrontOperand::of(0));
  front_into(flow_.region.thickness.number, value);
  machine_thickness_.reset();
}

void Lowering::branch(const Expr& condition, bool when, const std::string& label) {
  const FrontOperand value = front_guarded(condition);
  if (!graph_.empty()) flush();
  if (value.is_number()) {
    if ((value.constant.number != 0) == when) emit(Control{Control::Kind::kJump, {}, label});
    return;
  }
  emit(Control{when ? Control::Kind::kBranchNonZero : Control::Kind::kBranchZero, value, label});
}

void Lowering::lower_if(const Statement& statement) {
  flush();
  const bool has_else = statement.body.size() > 1;
  if (statement.value->kind == ExprKind::kNumber) {
    if (statement.value->value != 0) lower(*statement.body[0]);
    if (statement.value->value == 0 && has_else) lower(*statement.body[1]);
    return;
  }
  const std::string otherwise = new_label("else");
  branch(*statement.value, false, otherwise);
  hoisted_.clear();
  ++repeated_;
  lower(*statement.body[0]);
  flush();
  if (has_else) {
    const std::string end = new_label("end");
    emit(Control{Control::Kind::kJump, {}, end});
    emit_label(otherwise);
    lower(*statement.body[1]);
    emit_label(end);
  } else {
    emit_label(otherwise);
  }
  --repeated_;
}

void Lowering::lower_fiberwise_if(const Statement& statement) {
  const std::optional<std::uint32_t> outer = flow_.mask_register;
  const NodeId outer_mask = current_mask();
  const std::uint32_t mask = new_fiber_register(statement.position);
  const NodeId condition = mask_of(fiber(*statement.value));
  assign_fiber(mask, outer_mask == kNoNode ? condition : graph_.alu("AND", condition, outer_mask));
  hoisted_.clear();
  flow_.mask_register = mask;
  lower(*statement.body[0]);
  if (statement.body.size() > 1) {
    const NodeId inverse = outer ? graph_.alu("ANN", value_of(*outer), value_of(mask))
                                 : graph_.alu("SEQ", value_of(mask), number(0));
    assign_fiber(mask, inverse);
    lower(*statement.body[1]);
  }
  flow_.mask_register = outer;
}

// A loop of the flow where fibers decided apart: if none of them takes part, its body writes
// nothing and might never end it. Machines that cannot combine values in the frontend execute it
// anyway.
void Lowering::skip_without_fibers(const std::string& label, Position position) {
  if (!flow_.mask_register || !options_.multioperations || !options_.all_techniques) return;
  const std::uint32_t level = flow_.next_front;
  const FrontOperand any =
      reduce(MultiOperator::kOr, value_of(*flow_.mask_register), FrontOperand::of(0), position);
  emit(Control{Control::Kind::kBranchZero, any, label});
  hoisted_.clear();
  release(level, flow_.next_fiber);
}

// The condition stands at the end of the loop, where it shares a line with the body's last; a copy
// before the loop decides whether it is entered.
void Lowering::lower_loop(const Statement& statement) {
  const std::uint32_t front = flow_.next_front;
  const std::uint32_t fiber = flow_.next_fiber;
  for (const StatementPtr& init : statement.init) lower(*init);
  flush();
  const std::string body = new_label("loop");
  const LoopLabels labels{new_label("next"), new_label("end")};
  skip_without_fibers(labels.end, statement.position);
  ++repeated_;
  const auto test = [&](bool when, const std::string& label) {
    if (!statement.value) {
      if (when) emit(Control{Control::Kind::kJump, {}, label});
      return;
    }
    const std::uint32_t level = flow_.next_front;
    hoist(*statement.value);
    flush();
    branch(*statement.value, when, label);
    hoisted_.clear();
    release(level, flow_.next_fiber);
  };
  source_line_ = statement.position.line;
  if (statement.kind != StatementKind::kDoWhile) test(false, labels.end);
  emit_label(body);
  const std::size_t first_item = items_.size();
  flow_.loops.push_back(labels);
  lower(*statement.body[0]);
  flow_.loops.pop_back();
  flush();
  bool continues = false;
  for (const Item& item : std::span(items_).subspan(first_item)) {
    const auto* control = std::get_if<Control>(&item.what);
    continues = continues || (control != nullptr && control->label == labels.next);
  }
  if (continues) emit_label(labels.next);
  for (const StatementPtr& step : statement.step) lower(*step);
  flush();
  source_line_ = statement.position.line;
  test(true, body);
  emit_label(labels.end);
  --repeated_;
  release(front, fiber);
}

// Each round narrows the mask; the flow goes on while any fiber is left.
void Lowering::lower_fiberwise_loop(const Statement& statement) {
  const std::uint32_t front_level = flow_.next_front;
  const std::uint32_t fiber_level = flow_.next_fiber;
  for (const StatementPtr& init : statement.init) lower(*init);
  const std::optional<std::uint32_t> outer = flow_.mask_register;
  const std::uint32_t mask = new_fiber_register(statement.position);
  assign_fiber(mask, outer ? value_of(*outer) : number(-1));
  flow_.mask_register = mask;
  ++repeated_;
  const std::string head = new_label("loop");
  const std::string end = new_label("end");
  emit_label(head);
  hoist(*statement.value);
  const NodeId condition = mask_of(fiber(*statement.value));
  assign_fiber(mask, graph_.alu("AND", condition, value_of(mask)));
  const FrontOperand any =
      reduce(MultiOperator::kOr, value_of(mask), FrontOperand::of(0), statement.position);
  emit(Control{Control::Kind::kBranchZero, any, end});
  hoisted_.clear();
  lower(*statement.body[0]);
  for (const StatementPtr& step : statement.step) lower(*step);
  flush();
  emit(Control{Control::Kind::kJump, {}, head});
  emit_label(end);
  --repeated_;
  flow_.mask_register = outer;
  release(front_level, fiber_level);
}

void Lowering::lower_jump(const Statement& statement) {
  flush();
  const LoopLabels& labels = flow_.loops.back();
  emit(Control{Control::Kind::kJump,
               {},
               statement.kind == StatementKind::kBreak ? labels.end : labels.next});
}

void Lowering::lower_return(const Statement& statement) {
  const ReturnPlace& place = *flow_.return_place;
  if (statement.value) {
    if (place.fiber_register) {
      assign_fiber(*place.fiber_register, fiber(*statement.value));
    } else {
      flush();
      front_into(*place.front_register, front_guarded(*statement.value));
    }
  }
  if (place.label.empty()) return;
  flush();
  emit(Control{Control::Kind::kJump, {}, place.label});
}

}  // namespace raddle::e
