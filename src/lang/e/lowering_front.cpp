#include <bit>
#include <utility>

#include "lang/e/lowering_state.h"

namespace raddle::e {

bool reads_shared(const Expr& expr) {
  const bool is_place = expr.kind == ExprKind::kName || expr.kind == ExprKind::kElement;
  if (is_place && expr.symbol &&
      (expr.symbol->kind == SymbolKind::kShared ||
       expr.symbol->kind == SymbolKind::kArrayParameter)) {
    return true;
  }
  if (expr.kind == ExprKind::kCall || expr.kind == ExprKind::kBuiltin) return false;  // hoisted
  for (const ExprPtr& child : expr.children) {
    if (reads_shared(*child)) return true;
  }
  return false;
}

bool needs_mask(const Expr& expr) {
  if (expr.kind == ExprKind::kElement || reads_shared(expr)) return true;
  if (divides_integers(expr)) return true;
  for (const ExprPtr& child : expr.children) {
    if (needs_mask(*child)) return true;
  }
  return false;
}

FrontOperand Lowering::front_alu(std::string_view name, const FrontOperand& a,
                                 const FrontOperand& b, const FrontOperand& c) {
  std::vector<FrontOperand> operands = {a};
  if (b.kind != FrontOperand::Kind::kNone) operands.push_back(b);
  if (c.kind != FrontOperand::Kind::kNone) operands.push_back(c);
  // Address of a symbol plus a number is still a constant.
  if (name == "ADD" && a.kind == FrontOperand::Kind::kConstant && b.is_number()) {
    return FrontOperand::of(Constant{a.constant.symbol, a.constant.number + b.constant.number});
  }
  if (a.is_number() && b.is_number() && operands.size() == 2) {
    for (std::size_t op = 0; op < kAluOperators; ++op) {
      const auto binary = static_cast<BinaryOperator>(op);
      const bool is_zero_divisor = divides(binary) && b.is_number(0);
      if (alu_name(binary) != name || is_zero_divisor) continue;
      return FrontOperand::of(apply(binary, Type::kInt, a.constant.number, b.constant.number));
    }
  }
  if ((name == "ADD" || name == "SUB" || name == "SHL") && b.is_number(0)) return a;
  if (name == "MUL" && b.is_number(1)) return a;
  std::pair<std::string, std::vector<FrontOperand>> key{std::string(name), operands};
  const auto known = front_values_.find(key);
  if (known != front_values_.end()) return known->second;
  const FrontOperand result = FrontOperand::temporary(next_temporary_++);
  emit(FrontOp{FrontOp::Kind::kAlu, std::string(name), std::move(operands), result});
  front_values_[std::move(key)] = result;
  return result;
}

// Gives a register the value; the operation that made it writes it there at once if it was the
// last.
void Lowering::front_into(std::uint32_t reg, const FrontOperand& value) {
  const FrontOperand target = FrontOperand::in_register(reg);
  front_values_.clear();
  if (value == target) return;
  if (machine_thickness_ == target) machine_thickness_.reset();
  if (value.kind == FrontOperand::Kind::kTemporary && !items_.empty()) {
    if (auto* last = std::get_if<FrontOp>(&items_.back().what); last && last->result == value) {
      last->result = target;
      return;
    }
  }
  emit(FrontOp{FrontOp::Kind::kMove, {}, {value}, target});
}

FrontOperand Lowering::front_load(FrontOp::Kind kind, const FrontOperand& address) {
  const FrontOperand place = front_mask_ ? front_alu("AND", address, *front_mask_) : address;
  const FrontOperand result = FrontOperand::temporary(next_temporary_++);
  emit(FrontOp{kind, {}, {place}, result});
  return result;
}

// Notes what must hold where the value that is being computed is wanted.
void Lowering::expect(const FrontOperand& holds) {
  FrontOperand needed = holds;
  if (front_mask_) {
    needed = front_alu("OR", holds, front_alu("SEQ", *front_mask_, FrontOperand::of(0)));
  }
  sound_ = sound_->is_number(-1) ? needed : front_alu("AND", *sound_, needed);
}

// A value of the flow, wherever fibers decided apart: the frontend cannot know whether any of them
// takes part, so it divides by 1 and reads address 0 where it would fault, and the fibers that do
// take part fault in its place, by a read outside of shared memory.
FrontOperand Lowering::front_guarded(const Expr& expr) {
  if (!is_masked() || !needs_mask(expr)) return front(expr);
  sound_ = FrontOperand::of(-1);
  const FrontOperand value = front(expr);
  fault_unless(*std::exchange(sound_, std::nullopt), expr.position.line);
  return value;
}

void Lowering::fault_unless(const FrontOperand& sound, std::uint32_t line) {
  constexpr std::int64_t kOutside = -8;
  if (sound.is_number(-1)) return;
  const FrontOperand address =
      front_alu("SEL", sound, FrontOperand::of(0), FrontOperand::of(kOutside));
  graph_.load(masked(graph_.front(address)), line);
}

// -1 or 0.
FrontOperand Lowering::front_truth(const FrontOperand& value) {
  return front_alu("SNE", value, FrontOperand::of(0));
}

FrontOperand Lowering::front(const Expr& expr) {
  const auto hoisted = hoisted_.find(&expr);
  if (hoisted != hoisted_.end()) return *hoisted->second.front;
  switch (expr.kind) {
    case ExprKind::kNumber: return FrontOperand::of(expr.value);
    case ExprKind::kThickness: return flow_.region.thickness;
    case ExprKind::kName:
      if (expr.symbol->kind == SymbolKind::kCommon) {
        return FrontOperand::in_register(flow_.front_registers.at(expr.symbol->id));
      }
      return front_element(expr);
    case ExprKind::kElement: return front_element(expr);
    case ExprKind::kUnary:
    case ExprKind::kFused: return front_steps(expr);
    case ExprKind::kConditional: return front_conditional(expr);
    default: return front_binary(expr);
  }
}

FrontOperand Lowering::front_steps(const Expr& expr) {
  std::vector<FrontOperand> values;
  for (const ExprPtr& child : expr.children) values.push_back(front(*child));
  const auto made = [&](const AluStep::Source& source) {
    return source.child < 0 ? FrontOperand::of(source.number)
                            : values[static_cast<std::size_t>(source.child)];
  };
  FrontOperand result = values[0];
  for (const AluStep& step : alu_steps(expr)) {
    std::vector<FrontOperand> operands(3);
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      operands[i] = step.operands[i].is_last ? result : made(step.operands[i]);
    }
    result = front_alu(step.name, operands[0], operands[1], operands[2]);
  }
  return result;
}

FrontOperand Lowering::front_binary(const Expr& expr) {
  if (expr.binary == BinaryOperator::kLogicalAnd || expr.binary == BinaryOperator::kLogicalOr) {
    return front_conditional(expr);
  }
  if (expr.children[0]->type != Type::kInt) return front_steps(expr);
  const FrontOperand left = front(*expr.children[0]);
  FrontOperand right = front(*expr.children[1]);
  if (!divides(expr.binary) || (right.is_number() && !right.is_number(0))) {
    return front_alu(alu_name(expr.binary), left, right);
  }
  if (front_mask_) right = front_alu("SEL", *front_mask_, right, FrontOperand::of(1));
  if (sound_) {
    const FrontOperand divisor = right;
    expect(front_truth(divisor));
    right = front_alu("SEL", divisor, divisor, FrontOperand::of(1));
  }
  const std::uint32_t line = std::exchange(source_line_, expr.position.line);
  const FrontOperand result = front_alu(alu_name(expr.binary), left, right);
  source_line_ = line;
  return result;
}

FrontOperand Lowering::front_conditional(const Expr& expr) {
  const std::optional<FrontOperand> outer = front_mask_;
  const FrontOperand condition = front(*expr.children[0]);
  const bool is_or = expr.kind == ExprKind::kBinary && expr.binary == BinaryOperator::kLogicalOr;
  const bool logical = expr.kind == ExprKind::kBinary;
  const auto under = [&](const Expr& part, bool wanted) {
    if (!needs_mask(part)) return front(part);
    FrontOperand mask =
        wanted ? front_truth(condition) : front_alu("SEQ", condition, FrontOperand::of(0));
    if (outer) mask = front_alu("AND", mask, *outer);
    front_mask_ = mask;
    const FrontOperand value = front(part);
    front_mask_ = outer;
    return value;
  };
  const FrontOperand first = under(*expr.children[1], !is_or);
  if (!logical) return front_alu("SEL", condition, first, under(*expr.children[2], false));
  return front_alu(is_or ? "OR" : "AND", front_truth(condition), front_truth(first));
}

// The address of an element with indices that the flow has once.
FrontOperand Lowering::front_address(const Expr& location) {
  const bool is_local = location.symbol->kind == SymbolKind::kCommon;
  Constant base{is_local ? "local_" + location.symbol->name : symbol_name(location), 0};
  const std::vector<std::int64_t>& extents =
      is_local ? location.symbol->extents : shared_symbol(location).extents;
  FrontOperand offset = FrontOperand::of(0);
  std::int64_t stride = 8;
  for (std::size_t i = location.children.size(); i-- > 0;) {
    const FrontOperand index = front(*location.children[i]);
    if (index.is_number()) {
      base.number += index.constant.number * stride;
    } else {
      const auto bits = static_cast<std::uint64_t>(stride);
      const FrontOperand scaled =
          std::has_single_bit(bits)
              ? front_alu("SHL", index, FrontOperand::of(std::countr_zero(bits)))
              : front_alu("MUL", index, FrontOperand::of(stride));
      offset = offset.is_number(0) ? scaled : front_alu("ADD", offset, scaled);
    }
    if (i < extents.size()) stride *= extents[i];
  }
  if (offset.is_number(0)) return FrontOperand::of(base);
  return front_alu("ADD", offset, FrontOperand::of(base));
}

FrontOperand Lowering::front_element(const Expr& expr) {
  FrontOperand address = front_address(expr);
  const bool is_local = expr.symbol->kind == SymbolKind::kCommon;
  if (sound_ && address.kind != FrontOperand::Kind::kConstant) {
    const Symbol& symbol = is_local ? *expr.symbol : shared_symbol(expr);
    const Constant base{(is_local ? "local_" : "_") + symbol.name, 0};
    const FrontOperand offset = front_alu("SUB", address, FrontOperand::of(base));
    const FrontOperand inside = front_alu("SLTU", offset, FrontOperand::of(symbol.words() * 8));
    expect(inside);
    address = front_alu("AND", address, inside);
  }
  return front_load(is_local ? FrontOp::Kind::kLoadLocal : FrontOp::Kind::kLoadShared, address);
}

}  // namespace raddle::e
