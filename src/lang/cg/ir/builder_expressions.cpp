// Expressions.
#include <algorithm>

#include "base/error.h"
#include "lang/cg/ir/builder.h"

namespace raddle::cg {
namespace {

Refs slice(const Refs& whole, std::size_t first, std::size_t count) {
  return {whole.begin() + static_cast<std::ptrdiff_t>(first),
          whole.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

}  // namespace

Refs Builder::lower(const Expr& expression) {
  at(expression.place);
  switch (expression.kind) {
    case ExprKind::kLiteral: return literals(expression.number, 1);
    case ExprKind::kVariable: return lower_variable(expression);
    case ExprKind::kUnary: {
      const Refs operand = lower(*expression.operands[0]);
      if (expression.op == Op::kNegate) return negate(operand);
      return subtract(literals(1, operand.size()), operand);
    }
    case ExprKind::kBinary: return lower_binary(expression);
    case ExprKind::kAssign: {
      Refs value = lower(*expression.operands[1]);
      store(*expression.operands[0], value);
      return value;
    }
    case ExprKind::kIncrement: {
      const Refs before = lower(*expression.operands[0]);
      const Refs after = add(before, literals(expression.number, 1));
      store(*expression.operands[0], after);
      return expression.is_postfix ? before : after;
    }
    case ExprKind::kConditional: return lower_conditional(expression);
    case ExprKind::kCall: return lower_call(expression);
    case ExprKind::kIntrinsic: return lower_intrinsic(expression);
    case ExprKind::kElements:
    case ExprKind::kConstruct: {
      Refs result;
      for (const ExprPtr& operand : expression.operands) {
        const Refs part = lower(*operand);
        result.insert(result.end(), part.begin(), part.end());
      }
      return result;
    }
    case ExprKind::kConvert: return lower_convert(expression);
    case ExprKind::kField: {
      const Refs whole = lower(*expression.operands[0]);
      const Structure& structure = program_.structures[expression.operands[0]->type.structure];
      return slice(whole, field_offset(structure, expression.index, program_.structures),
                   number_count(expression.type, program_.structures));
    }
    case ExprKind::kSwizzle: {
      const Refs whole = lower(*expression.operands[0]);
      Refs result;
      for (unsigned i = 0; i < expression.type.columns; ++i)
        result.push_back(whole[expression.channels[i]]);
      return result;
    }
    case ExprKind::kIndex: return lower_index(expression);
    case ExprKind::kComma: lower(*expression.operands[0]); return lower(*expression.operands[1]);
  }
  return {};
}

Refs Builder::lower_variable(const Expr& expression) {
  const Refs& refs = env_[expression.index];
  if (refs.empty()) return literals(0, number_count(expression.type, program_.structures));
  return refs;
}

Refs Builder::lower_binary(const Expr& expression) {
  const Refs a = lower(*expression.operands[0]);
  const Refs b = lower(*expression.operands[1]);
  at(expression.place);
  const bool is_integer = expression.operands[0]->type.base != BaseType::kFloat;
  switch (expression.op) {
    case Op::kAdd: return add(a, b);
    case Op::kSubtract: return subtract(a, b);
    case Op::kMultiply: return multiply(a, b);
    case Op::kDivide: {
      if (is_integer) return whole_quotient(a, b);
      Refs inverse;  // once where all components divide by the same
      for (std::size_t i = 0; i < b.size(); ++i) {
        const auto same = std::find(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(i), b[i]);
        const auto at = static_cast<std::size_t>(same - b.begin());
        inverse.push_back(at < i ? inverse[at] : scalar(IrOp::kRcp, {b[i]})[0]);
      }
      return multiply(a, inverse);
    }
    case Op::kModulo: return subtract(a, multiply(b, whole_quotient(a, b)));
    case Op::kAnd: return emit(IrOp::kMin, {{a}, {b}});
    case Op::kOr: return emit(IrOp::kMax, {{a}, {b}});
    default: return compare(expression.op, a, b);
  }
}

Refs Builder::lower_conditional(const Expr& expression) {
  Refs condition = lower(*expression.operands[0]);
  const Refs then = lower(*expression.operands[1]);
  const Refs otherwise = lower(*expression.operands[2]);
  at(expression.place);
  if (condition.size() == 1) condition.assign(then.size(), condition[0]);
  return choose(condition, then, otherwise);
}

Refs Builder::resized(Refs refs, const Type& from, const Type& to) const {
  const std::uint32_t count = number_count(to, program_.structures);
  if (from.is_scalar()) return Refs(count, refs[0]);
  if (from.is_matrix() && to.columns < from.columns) {
    Refs cut;
    for (unsigned row = 0; row < to.rows; ++row) {
      for (unsigned column = 0; column < to.columns; ++column)
        cut.push_back(refs[row * from.columns + column]);
    }
    return cut;
  }
  refs.resize(count);
  return refs;
}

Refs Builder::lower_convert(const Expr& expression) {
  const Type from = expression.operands[0]->type;
  Refs refs = lower(*expression.operands[0]);
  at(expression.place);
  if (!from.is_scalar()) refs = resized(std::move(refs), from, expression.type);
  const BaseType to = expression.type.base;
  if (to == BaseType::kBool && from.base != BaseType::kBool) {
    refs = select(refs, true, true, literals(0, refs.size()), literals(1, refs.size()));
  } else if (to == BaseType::kInt && from.base == BaseType::kFloat) {
    refs = truncate(refs);
  }
  return from.is_scalar() ? resized(std::move(refs), from, expression.type) : refs;
}

// The element at an index that may only be known when the shader runs: then all elements are gone
// through, and an index outside gives the nearest one.
Refs Builder::lower_index(const Expr& expression) {
  const Refs whole = lower(*expression.operands[0]);
  const Refs position = lower(*expression.operands[1]);
  at(expression.place);
  const std::size_t count = number_count(expression.type, program_.structures);
  const std::size_t elements = whole.size() / count;
  if (position[0].is_literal()) {
    const float at = position[0].number();
    std::size_t element = 0;
    if (at >= static_cast<float>(elements - 1))
      element = elements - 1;
    else if (at > 0)
      element = static_cast<std::size_t>(at);
    return slice(whole, element * count, count);
  }
  Refs result = slice(whole, 0, count);
  for (std::size_t i = 1; i < elements; ++i) {
    const Refs distance = subtract(position, literals(static_cast<float>(i), 1));
    result = select(Refs(count, distance[0]), false, false, slice(whole, i * count, count), result);
  }
  return result;
}

void Builder::store(const Expr& target, Refs refs) {
  if (target.kind == ExprKind::kVariable) {
    env_[target.index] = std::move(refs);
    return;
  }
  if (target.kind == ExprKind::kElements) {
    for (std::size_t i = 0; i < refs.size(); ++i) store(*target.operands[i], {refs[i]});
    return;
  }
  const Expr& inner = *target.operands[0];
  if (target.kind == ExprKind::kIndex) return store_element(target, refs);
  Refs whole = lower(inner);
  if (target.kind == ExprKind::kSwizzle) {
    for (std::size_t i = 0; i < refs.size(); ++i) whole[target.channels[i]] = refs[i];
  } else {
    RADDLE_ASSERT(target.kind == ExprKind::kField);
    const Structure& structure = program_.structures[inner.type.structure];
    const std::uint32_t offset = field_offset(structure, target.index, program_.structures);
    std::ranges::copy(refs, whole.begin() + offset);
  }
  store(inner, std::move(whole));
}

void Builder::store_element(const Expr& target, const Refs& refs) {
  Refs whole = lower(*target.operands[0]);
  const Refs position = lower(*target.operands[1]);
  const std::size_t count = refs.size();
  for (std::size_t i = 0; i * count < whole.size(); ++i) {
    const auto at = whole.begin() + static_cast<std::ptrdiff_t>(i * count);
    if (position[0].is_literal()) {
      if (position[0].number() == static_cast<float>(i)) std::ranges::copy(refs, at);
      continue;
    }
    const Refs distance = subtract(position, literals(static_cast<float>(i), 1));
    const Refs chosen =
        select(Refs(count, distance[0]), true, true, refs, slice(whole, i * count, count));
    std::ranges::copy(chosen, at);
  }
  store(*target.operands[0], std::move(whole));
}

// The function's body in place of the call.
Refs Builder::lower_call(const Expr& expression) {
  const Function& function = program_.functions[expression.index];
  std::vector<Refs> given;
  for (const ExprPtr& operand : expression.operands) given.push_back(lower(*operand));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t parameter = function.parameters[i];
    const Variable& variable = program_.variables[parameter];
    if (variable.direction == Direction::kOut)
      env_[parameter] = literals(0, number_count(variable.type, program_.structures));
    else
      env_[parameter] = given[i];
  }
  Frame frame;
  frame.returned = new_variable(literals(0, 1));
  frame.result = new_variable(literals(0, number_count(function.result, program_.structures)));
  frame.depth = depth_;
  frame.first_loop = loops_.size();
  frames_.push_back(frame);
  library_calls_ += function.is_library ? 1 : 0;
  lower_all(function.body->body);
  library_calls_ -= function.is_library ? 1 : 0;
  leave_scope(function.body->body);
  if (flow_ == Flow::kReturn) flow_ = Flow::kNext;
  frames_.pop_back();
  Refs result = env_[frame.result];
  env_[frame.result].clear();
  env_[frame.returned].clear();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t parameter = function.parameters[i];
    if (program_.variables[parameter].direction != Direction::kIn)
      store(*expression.operands[i], env_[parameter]);
    env_[parameter].clear();
  }
  return result;
}

}  // namespace raddle::cg
