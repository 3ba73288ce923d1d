#include "lang/e/lowering_state.h"

namespace raddle::e {
namespace {

std::size_t count_returns(const Statement& statement) {
  std::size_t count = statement.kind == StatementKind::kReturn ? 1 : 0;
  for (const StatementPtr& child : statement.body) count += count_returns(*child);
  return count;
}

// A function whose only return ends it needs no jump.
bool returns_at_its_end_alone(const Statement& body) {
  const std::size_t count = count_returns(body);
  if (count == 0) return true;
  return count == 1 && !body.body.empty() && body.body.back()->kind == StatementKind::kReturn;
}

}  // namespace

void Lowering::hoist(const Expr& expr) {
  hoist_calls(expr);
  hoist_reductions(expr);
}

// Calls of a statement are made before the rest of it, innermost and leftmost first.
void Lowering::hoist_calls(const Expr& expr) {
  for (const ExprPtr& child : expr.children) hoist_calls(*child);
  if (expr.kind == ExprKind::kCall) expand_call(expr);
}

// What the frontend must have before fibers begin: reductions, and elements of its own arrays that
// are found through shared memory.
void Lowering::hoist_reductions(const Expr& expr) {
  if (hoisted_.count(&expr) != 0) return;
  for (const ExprPtr& child : expr.children) hoist_reductions(*child);
  if (expr.kind == ExprKind::kBuiltin && expr.builtin == Builtin::kReduce) {
    NodeId value = fiber(*expr.children[0]);
    if (flow_.mask_register) {
      value = graph_.alu("SEL", current_mask(), value, number(neutral_of(expr.multi)));
    }
    hoisted_[&expr].front =
        reduce(expr.multi, value, FrontOperand::of(neutral_of(expr.multi)), expr.position);
    return;
  }
  const bool is_local =
      expr.kind == ExprKind::kElement && expr.symbol && expr.symbol->kind == SymbolKind::kCommon;
  if (!is_local || !reads_shared(expr)) return;
  flush();
  const std::uint32_t reg = new_front_register(expr.position);
  front_into(reg, front_element(expr));
  hoisted_[&expr].front = FrontOperand::in_register(reg);
}

void Lowering::expand_call(const Expr& call) {
  const Function& function = *call.symbol->function;
  for (const ExprPtr& argument : call.children) hoist_reductions(*argument);
  ReturnPlace place;
  if (function.result == ResultKind::kFiber) {
    place.fiber_register = new_fiber_register(call.position);
    assign_fiber(*place.fiber_register, number(0));
  } else if (function.result == ResultKind::kCommon) {
    place.front_register = new_front_register(call.position);
  }
  const FlowState outer = flow_;
  // Arguments are values of the caller, so that all are computed before any parameter is set.
  std::vector<NodeId> fiber_arguments(function.parameters.size(), kNoNode);
  std::vector<std::uint32_t> registers(function.parameters.size(), 0);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const Expr& argument = *call.children[i];
    if (parameter.is_array()) {
      const Symbol* actual = argument.symbol.get();
      if (actual->kind == SymbolKind::kArrayParameter) actual = flow_.array_bindings.at(actual->id);
      flow_.array_bindings[parameter.symbol->id] = actual;
    } else if (parameter.symbol->kind == SymbolKind::kCommon) {
      if (reads_shared(argument) || !graph_.empty()) flush();
      registers[i] = new_front_register(parameter.position);
      front_into(registers[i], front_guarded(argument));
    }
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (parameter.is_array()) continue;
    if (parameter.symbol->kind == SymbolKind::kCommon) {
      flow_.front_registers[parameter.symbol->id] = registers[i];
    } else {
      registers[i] = new_fiber_register(parameter.position);
      assign_fiber(registers[i], fiber(*call.children[i]));
      flow_.fiber_registers[parameter.symbol->id] = registers[i];
      flush_if_large();
    }
  }
  const auto saved = std::move(hoisted_);
  hoisted_.clear();
  const bool straight = returns_at_its_end_alone(*function.body);
  if (!straight) place.label = new_label("return");
  flow_.return_place = place;
  flow_.loops.clear();
  ++repeated_;
  lower(*function.body);
  --repeated_;
  if (!straight) emit_label(place.label);
  // The caller's names again; registers of parameters and of the function's variables are free.
  const std::uint32_t front_level = outer.next_front;
  const std::uint32_t fiber_level = outer.next_fiber;
  flow_ = outer;
  release(front_level, fiber_level);
  hoisted_ = saved;
  Hoisted& result = hoisted_[&call];
  if (place.fiber_register) {
    result.fiber_register = place.fiber_register;
  } else if (place.front_register) {
    result.front = FrontOperand::in_register(*place.front_register);
  } else {
    result.front = FrontOperand::of(0);
  }
}

}  // namespace raddle::e
