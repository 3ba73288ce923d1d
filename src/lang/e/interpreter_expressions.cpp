#include <fmt/format.h>

#include <algorithm>

#include "lang/e/interpreter_state.h"

namespace raddle::e {
namespace {

bool is_logical(const Expr& expr) {
  return expr.kind == ExprKind::kBinary &&
         (expr.binary == BinaryOperator::kLogicalAnd || expr.binary == BinaryOperator::kLogicalOr);
}

// Arrays may hold their first words alone.
std::int64_t word_of(const std::vector<std::int64_t>& words, std::size_t index) {
  return index < words.size() ? words[index] : 0;
}

Value scalar(std::int64_t number) { return {false, number, {}}; }

}  // namespace

bool Interpreter::somebody_takes_part() const {
  const Mask& mask = flow_.mask;
  return mask.empty() || std::find(mask.begin(), mask.end(), true) != mask.end();
}

Mask Interpreter::mask_where(const Value& condition, bool wanted) const {
  Mask mask(fibers());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = takes_part(i) && (condition.at(i) != 0) == wanted;
  }
  return mask;
}

std::size_t Interpreter::shared_index(const Expr& location) const {
  std::uint32_t id = location.symbol->id;
  if (location.symbol->kind == SymbolKind::kArrayParameter) id = flow_.array_bindings[id];
  return shared_positions_[id];
}

Value Interpreter::evaluate(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber: return scalar(expr.value);
    case ExprKind::kFiberId: {
      Value value{true, 0, std::vector<std::int64_t>(fibers())};
      for (std::size_t i = 0; i < value.lanes.size(); ++i) {
        value.lanes[i] = static_cast<std::int64_t>(i);
      }
      return value;
    }
    case ExprKind::kParentId: return {true, 0, flow_.parents};
    case ExprKind::kThickness: return scalar(flow_.thickness);
    case ExprKind::kName:
      if (expr.symbol->kind == SymbolKind::kCommon) return scalar(flow_.commons[expr.symbol->id]);
      if (expr.symbol->kind == SymbolKind::kFiber) return {true, 0, flow_.fibers[expr.symbol->id]};
      return evaluate_element(expr);
    case ExprKind::kElement: return evaluate_element(expr);
    case ExprKind::kUnary: {
      Value value = evaluate(*expr.children[0]);
      const Type from = expr.children[0]->type;
      value.scalar = apply(expr.unary, from, expr.type, value.scalar);
      for (std::int64_t& lane : value.lanes) lane = apply(expr.unary, from, expr.type, lane);
      return value;
    }
    case ExprKind::kBinary:
      return is_logical(expr) ? evaluate_conditional(expr) : evaluate_binary(expr);
    case ExprKind::kFused: return evaluate_fused(expr);
    case ExprKind::kConditional: return evaluate_conditional(expr);
    case ExprKind::kCall: return call_results_.at(&expr);
    case ExprKind::kBuiltin: break;
  }
  if (expr.builtin == Builtin::kReduce) return evaluate_reduce(expr);
  const Expr& place = *expr.children[0];  // initial
  const std::vector<std::size_t> index = indices_of(place);
  return scalar(word_of((*initial_)[shared_index(place)], index[0]));
}

Value Interpreter::evaluate_binary(const Expr& expr) {
  const Value left = evaluate(*expr.children[0]);
  const Value right = evaluate(*expr.children[1]);
  const Type type = expr.children[0]->type;
  if (divides_integers(expr)) check_divisor(expr, right);
  if (!left.per_fiber && !right.per_fiber) {
    return scalar(apply(expr.binary, type, left.scalar, right.scalar));
  }
  Value value{true, 0, std::vector<std::int64_t>(fibers())};
  for (std::size_t i = 0; i < value.lanes.size(); ++i) {
    value.lanes[i] = apply(expr.binary, type, left.at(i), right.at(i));
  }
  return value;
}

Value Interpreter::evaluate_fused(const Expr& expr) {
  const Value a = evaluate(*expr.children[0]);
  const Value b = evaluate(*expr.children[1]);
  const Value c = evaluate(*expr.children[2]);
  if (!a.per_fiber && !b.per_fiber && !c.per_fiber) {
    return scalar(apply_fused(expr.type, a.scalar, b.scalar, c.scalar));
  }
  Value value{true, 0, std::vector<std::int64_t>(fibers())};
  for (std::size_t i = 0; i < value.lanes.size(); ++i) {
    value.lanes[i] = apply_fused(expr.type, a.at(i), b.at(i), c.at(i));
  }
  return value;
}

void Interpreter::check_divisor(const Expr& expr, const Value& divisor) const {
  if (!divisor.per_fiber) {
    if (somebody_takes_part() && divisor.scalar == 0) fail(expr.position, "division by zero");
    return;
  }
  for (std::size_t i = 0; i < fibers(); ++i) {
    if (takes_part(i) && divisor.lanes[i] == 0) {
      fail(expr.position, fmt::format("division by zero in fiber {}", i));
    }
  }
}

// c ? a : b, a && b, a || b: a part is evaluated by those fibers alone that need it.
Value Interpreter::evaluate_conditional(const Expr& expr) {
  const bool logical = is_logical(expr);
  const bool is_and = logical && expr.binary == BinaryOperator::kLogicalAnd;
  const Value condition = evaluate(*expr.children[0]);
  const auto decided = [&](std::size_t fiber) { return condition.at(fiber) != 0; };
  if (!condition.per_fiber) {
    const bool truth = condition.scalar != 0;
    if (!logical) return evaluate(*expr.children[truth ? 1 : 2]);
    if (truth != is_and) return scalar(truth ? -1 : 0);
    Value right = evaluate(*expr.children[1]);
    right.scalar = right.scalar != 0 ? -1 : 0;
    for (std::int64_t& lane : right.lanes) lane = lane != 0 ? -1 : 0;
    return right;
  }
  const Mask outer = flow_.mask;
  flow_.mask = mask_where(condition, logical ? is_and : true);
  const Value first = evaluate(*expr.children[1]);
  Value second;
  if (!logical) {
    flow_.mask = outer;
    flow_.mask = mask_where(condition, false);
    second = evaluate(*expr.children[2]);
  }
  flow_.mask = outer;
  Value value{true, 0, std::vector<std::int64_t>(fibers())};
  for (std::size_t i = 0; i < value.lanes.size(); ++i) {
    if (!logical) {
      value.lanes[i] = decided(i) ? first.at(i) : second.at(i);
    } else if (decided(i) == is_and) {
      value.lanes[i] = first.at(i) != 0 ? -1 : 0;
    } else {
      value.lanes[i] = decided(i) ? -1 : 0;
    }
  }
  return value;
}

std::vector<std::size_t> Interpreter::indices_of(const Expr& location) {
  std::vector<Value> parts;
  bool per_fiber = false;
  for (const ExprPtr& child : location.children) {
    parts.push_back(evaluate(*child));
    per_fiber = per_fiber || parts.back().per_fiber;
  }
  const Symbol& symbol = *location.symbol;
  std::vector<std::int64_t> extents = symbol.extents;
  if (symbol.kind == SymbolKind::kArrayParameter) {
    extents = program_.shared[shared_index(location)]->extents;
  }
  std::vector<std::size_t> result(per_fiber ? fibers() : 1, 0);
  for (std::size_t fiber = 0; fiber < result.size(); ++fiber) {
    if (per_fiber && !takes_part(fiber)) continue;
    std::int64_t index = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t part = parts[i].at(fiber);
      if (part < 0 || part >= extents[i]) {
        fail(location.position,
             fmt::format("index {} is outside {}[{}]{}", part, location.name, extents[i],
                         per_fiber ? fmt::format(" in fiber {}", fiber) : ""));
      }
      index = index * extents[i] + part;
    }
    result[fiber] = static_cast<std::size_t>(index);
  }
  return result;
}

Value Interpreter::evaluate_element(const Expr& expr) {
  // Nobody reads where no fiber takes part.
  if (!somebody_takes_part()) return scalar(0);
  const std::vector<std::size_t> indices = indices_of(expr);
  const bool is_common = expr.symbol->kind == SymbolKind::kCommon;
  const std::vector<std::int64_t>& words =
      is_common ? flow_.arrays[expr.symbol->id] : memory_[shared_index(expr)];
  const bool per_fiber = expr.rank == Rank::kFiber;
  const auto load = [&](std::size_t index) {
    if (!is_common) log_read({shared_index(expr), index}, expr.position);
    return word_of(words, index);
  };
  if (!per_fiber) return scalar(load(indices[0]));
  Value value{true, 0, std::vector<std::int64_t>(fibers())};
  for (std::size_t i = 0; i < value.lanes.size(); ++i) {
    // The index may be one for all fibers where a common condition chose between two.
    if (takes_part(i)) value.lanes[i] = load(indices.size() == 1 ? indices[0] : indices[i]);
  }
  return value;
}

Value Interpreter::evaluate_reduce(const Expr& expr) {
  const Value operand = evaluate(*expr.children[0]);
  std::int64_t total = neutral_of(expr.multi);
  for (std::size_t i = 0; i < fibers(); ++i) {
    if (takes_part(i)) total = apply(expr.multi, total, operand.at(i));
  }
  return scalar(total);
}

// Calls of a statement are made before the rest of it, innermost and leftmost first.
void Interpreter::run_calls(const Expr& expr) {
  for (const ExprPtr& child : expr.children) run_calls(*child);
  if (expr.kind == ExprKind::kCall) call_results_[&expr] = call(expr);
}

Value Interpreter::call(const Expr& expr) {
  const Function& function = *expr.symbol->function;
  std::vector<std::uint32_t> bindings;
  std::vector<Value> arguments;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (parameter.is_array()) {
      const Symbol& actual = *expr.children[i]->symbol;
      bindings.push_back(
          actual.kind == SymbolKind::kArrayParameter ? flow_.array_bindings[actual.id] : actual.id);
      arguments.emplace_back();
    } else {
      bindings.push_back(0);
      arguments.push_back(evaluate(*expr.children[i]));
    }
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const std::uint32_t id = parameter.symbol->id;
    if (parameter.is_array()) {
      flow_.array_bindings[id] = bindings[i];
    } else if (parameter.symbol->kind == SymbolKind::kCommon) {
      flow_.commons[id] = arguments[i].scalar;
    } else {
      std::vector<std::int64_t>& lanes = flow_.fibers[id];
      lanes.assign(fibers(), 0);
      for (std::size_t fiber = 0; fiber < lanes.size(); ++fiber) {
        lanes[fiber] = arguments[i].at(fiber);
      }
    }
  }
  returned_ = scalar(0);
  run(*function.body);
  return returned_;
}

}  // namespace raddle::e
