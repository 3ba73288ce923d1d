#include "lang/cg/syntax/constant_value.h"

#include <cmath>

namespace raddle::cg {

std::optional<std::int64_t> constant_integer(const Expr& expression, const Program& program) {
  const auto operand = [&](std::size_t i) {
    return constant_integer(*expression.operands[i], program);
  };
  if (!expression.type.is_scalar()) return std::nullopt;
  switch (expression.kind) {
    case ExprKind::kLiteral:
      if (expression.number != std::trunc(expression.number) ||
          std::fabs(expression.number) > 16777216.0F)
        return std::nullopt;
      return static_cast<std::int64_t>(expression.number);
    case ExprKind::kVariable: {
      const Variable& variable = program.variables[expression.index];
      const bool is_own =
          variable.storage == Storage::kConstant || variable.storage == Storage::kLocal;
      if (!variable.is_const || !is_own || !variable.initial) return std::nullopt;
      return constant_integer(*variable.initial, program);
    }
    case ExprKind::kConvert: return operand(0);
    case ExprKind::kUnary: {
      const auto value = operand(0);
      if (!value || expression.op != Op::kNegate) return std::nullopt;
      return -*value;
    }
    case ExprKind::kBinary: {
      const auto a = operand(0);
      const auto b = operand(1);
      if (!a || !b || std::abs(*a) > 1 << 24 || std::abs(*b) > 1 << 24) return std::nullopt;
      switch (expression.op) {
        case Op::kAdd: return *a + *b;
        case Op::kSubtract: return *a - *b;
        case Op::kMultiply: return *a * *b;
        case Op::kDivide: return *b == 0 ? std::optional<std::int64_t>() : *a / *b;
        case Op::kModulo: return *b == 0 ? std::optional<std::int64_t>() : *a % *b;
        default: return std::nullopt;
      }
    }
    default: return std::nullopt;
  }
}

}  // namespace raddle::cg
