// Operations of the language in terms of what the processor has.
#include <algorithm>

#include "base/error.h"
#include "lang/cg/ir/builder.h"
#include "lang/cg/ir/folding.h"

namespace raddle::cg {

ValueId Builder::new_value(IrValue value) {
  value.place = place_;
  const auto id = static_cast<ValueId>(result_.values.size());
  const bool is_node = value.op != IrOp::kCell;
  result_.values.push_back(value);
  if (is_node) {
    IrNode node;
    node.value = id;
    node.place = place_;
    region().push_back(std::move(node));
  }
  return id;
}

ValueId Builder::new_cell(unsigned count) {
  IrValue cell;
  cell.op = IrOp::kCell;
  cell.count = static_cast<std::uint8_t>(count);
  return new_value(cell);
}

std::uint32_t Builder::new_variable(Refs refs) {
  env_.push_back(std::move(refs));
  return static_cast<std::uint32_t>(env_.size() - 1);
}

Refs Builder::emit(IrOp op, const std::vector<Operand>& operands, bool saturate) {
  const std::size_t size = operands[0].refs.size();
  for (const Operand& operand : operands) RADDLE_ASSERT(operand.refs.size() == size);
  const std::size_t step = is_scalar_only(op) ? 1 : 4;
  Refs result;
  for (std::size_t first = 0; first < size; first += step) {
    const Refs chunk = emit_chunk(op, operands, first, std::min(step, size - first), saturate);
    result.insert(result.end(), chunk.begin(), chunk.end());
  }
  return result;
}

Refs Builder::emit_chunk(IrOp op, const std::vector<Operand>& operands, std::size_t first,
                         std::size_t count, bool saturate) {
  IrValue value;
  value.op = op;
  value.count = static_cast<std::uint8_t>(count);
  value.saturate = saturate;
  for (std::size_t s = 0; s < operands.size(); ++s) {
    value.sources[s].negate = operands[s].negate;
    value.sources[s].absolute = operands[s].absolute;
    for (std::size_t i = 0; i < count; ++i) value.sources[s].refs[i] = operands[s].refs[first + i];
  }
  if (options_.level > 0) {
    if (const auto folded = fold(value)) return {folded->begin(), folded->begin() + value.count};
  }
  const ValueId id = new_value(value);
  Refs result;
  for (unsigned i = 0; i < count; ++i) result.push_back(Ref::value(id, i));
  return result;
}

Refs Builder::add(Refs a, Refs b) { return emit(IrOp::kAdd, {{std::move(a)}, {std::move(b)}}); }
Refs Builder::subtract(Refs a, Refs b) {
  return emit(IrOp::kAdd, {{std::move(a)}, {std::move(b), true}});
}
Refs Builder::multiply(Refs a, Refs b) {
  return emit(IrOp::kMul, {{std::move(a)}, {std::move(b)}});
}
Refs Builder::scalar(IrOp op, const Refs& a) { return emit(op, {{a}}); }
Refs Builder::negate(const Refs& a) { return emit(IrOp::kMov, {{a, true}}); }

Refs Builder::dot(const Refs& a, const Refs& b) {
  if (a.size() == 1) return multiply(a, b);
  IrValue value;
  value.op = IrOp::kDot;
  value.width = static_cast<std::uint8_t>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    value.sources[0].refs[i] = a[i];
    value.sources[1].refs[i] = b[i];
  }
  if (options_.level > 0) {
    if (const auto folded = fold(value)) return {(*folded)[0]};
  }
  return {Ref::value(new_value(value), 0)};
}

Refs Builder::floor(const Refs& a) {
  return emit(IrOp::kAdd, {{a}, {scalar(IrOp::kFrc, a), true}});
}

Refs Builder::truncate(const Refs& a) {
  const Refs fraction = emit(IrOp::kFrc, {{a, false, true}});
  const Refs size = emit(IrOp::kAdd, {{a, false, true}, {fraction, true}});
  return emit(IrOp::kCmp, {{size}, {size, true}, {a}});
}

Refs Builder::select(const Refs& at_least_zero, bool negate_test, bool absolute_test,
                     const Refs& then, const Refs& otherwise) {
  return emit(IrOp::kCmp, {{then}, {otherwise}, {at_least_zero, negate_test, absolute_test}});
}

Refs Builder::compare(Op op, const Refs& a, const Refs& b) {
  const Refs one = literals(1, a.size());
  const Refs zero = literals(0, a.size());
  switch (op) {
    case Op::kLess: return select(subtract(a, b), false, false, zero, one);
    case Op::kGreaterEqual: return select(subtract(a, b), false, false, one, zero);
    case Op::kGreater: return select(subtract(b, a), false, false, zero, one);
    case Op::kLessEqual: return select(subtract(b, a), false, false, one, zero);
    case Op::kEqual: return select(subtract(a, b), true, true, one, zero);
    case Op::kNotEqual: return select(subtract(a, b), true, true, zero, one);
    default: RADDLE_ASSERT(false); return {};
  }
}

// (|a| + ½) / |b|, rounded down, with the sign of a * b: exact for integers below 2^21.
Refs Builder::whole_quotient(const Refs& a, const Refs& b) {
  Refs inverse;
  for (const Ref& part : b) inverse.push_back(emit(IrOp::kRcp, {{{part}, false, true}})[0]);
  const Refs above = emit(IrOp::kAdd, {{a, false, true}, {literals(0.5F, a.size())}});
  const Refs size = floor(multiply(above, inverse));
  return emit(IrOp::kCmp, {{size}, {size, true}, {multiply(a, b)}});
}

// condition != 0 ? then : otherwise, for conditions that are 0 or 1.
Refs Builder::choose(const Refs& condition, const Refs& then, const Refs& otherwise) {
  return select(condition, true, false, otherwise, then);
}

}  // namespace raddle::cg
