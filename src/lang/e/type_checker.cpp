// Types of expressions: which operators take which, and the conversions that C would make.
#include <fmt/format.h>

#include <algorithm>

#include "lang/e/checker_state.h"

namespace raddle::e {
namespace {

ExprPtr zero_of(Type type, Position position) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kNumber;
  expr->position = position;
  expr->type = type;  // all types have 0 in the same word
  return expr;
}

}  // namespace

void Checker::convert(ExprPtr& expr, Type type) {
  if (expr->type == type) return;
  auto conversion = std::make_unique<Expr>();
  conversion->kind = ExprKind::kUnary;
  conversion->unary = UnaryOperator::kConvert;
  conversion->position = expr->position;
  conversion->type = type;
  conversion->rank = expr->rank;
  conversion->children.push_back(std::move(expr));
  expr = std::move(conversion);
  fold(expr);
}

void Checker::coerce(ExprPtr& expr, Type type, std::string_view what) {
  if (type == Type::kInt && expr->type != Type::kInt) {
    error(expr->position, fmt::format("{} must be an int, not a {}", what, name_of(expr->type)),
          "int(…) rounds towards zero");
    return;
  }
  convert(expr, type);
}

void Checker::make_condition(ExprPtr& expr) {
  if (expr->type == Type::kInt) return;
  auto comparison = std::make_unique<Expr>();
  comparison->kind = ExprKind::kBinary;
  comparison->binary = BinaryOperator::kNotEqual;
  comparison->position = expr->position;
  comparison->rank = expr->rank;
  comparison->children.push_back(nullptr);
  comparison->children.push_back(zero_of(expr->type, expr->position));
  comparison->children[0] = std::move(expr);
  expr = std::move(comparison);
  fold(expr);
}

void Checker::check_integer(const Expr& expr, std::string_view what) {
  if (expr.type == Type::kInt) return;
  error(expr.position, fmt::format("{} must be an int, not a {}", what, name_of(expr.type)),
        "int(…) rounds towards zero");
}

// A name that no function of the program has.
bool Checker::become_math_function(Expr& expr) {
  const bool is_own = std::any_of(program_.functions.begin(), program_.functions.end(),
                                  [&](const auto& f) { return f->name == expr.name; });
  if (is_own) return false;
  const std::optional<UnaryOperator> op = find_math_function(expr.name);
  const bool is_fused = expr.name == "fma";
  if (!op && !is_fused) return false;
  const std::size_t wanted = is_fused ? 3 : 1;
  if (expr.children.size() != wanted) {
    error(expr.position, fmt::format("{} takes {} {}, not {}", in_quotes(expr.name), wanted,
                                     wanted == 1 ? "argument" : "arguments", expr.children.size()));
    return false;
  }
  expr.kind = is_fused ? ExprKind::kFused : ExprKind::kUnary;
  if (op) expr.unary = *op;
  return true;
}

void Checker::check_types(ExprPtr& expr) {
  switch (expr->kind) {
    case ExprKind::kUnary: return check_unary_type(*expr);
    case ExprKind::kBinary: return check_binary_types(*expr);
    case ExprKind::kFused: {
      Type type = Type::kFloat;
      for (const ExprPtr& child : expr->children) type = std::max(type, child->type);
      for (ExprPtr& child : expr->children) convert(child, type);
      expr->type = type;
      return;
    }
    case ExprKind::kConditional:
      make_condition(expr->children[0]);
      expr->type = std::max(expr->children[1]->type, expr->children[2]->type);
      convert(expr->children[1], expr->type);
      convert(expr->children[2], expr->type);
      return;
    default: return;
  }
}

void Checker::check_unary_type(Expr& expr) {
  ExprPtr& operand = expr.children[0];
  switch (expr.unary) {
    case UnaryOperator::kConvert: return;
    case UnaryOperator::kNot: return make_condition(operand);
    case UnaryOperator::kComplement: return check_integer(*operand, "the operand of '~'");
    case UnaryOperator::kNegate:
    case UnaryOperator::kAbs: expr.type = operand->type; return;
    default:
      if (operand->type == Type::kInt) convert(operand, Type::kDouble);
      expr.type = operand->type;
  }
  const bool by_host = host_ || initialiser_ || operand->kind == ExprKind::kNumber;
  if (is_by_host(expr.unary) && !by_host) {
    error(expr.position, fmt::format("{} is computed by the host alone", in_quotes(expr.name)),
          "it is valid in constants, in initial values of shared arrays and in check");
  }
}

void Checker::check_binary_types(Expr& expr) {
  ExprPtr& left = expr.children[0];
  ExprPtr& right = expr.children[1];
  if (expr.binary == BinaryOperator::kLogicalAnd || expr.binary == BinaryOperator::kLogicalOr) {
    make_condition(left);
    make_condition(right);
    return;
  }
  const Type type = std::max(left->type, right->type);
  if (type != Type::kInt && !takes_floats(expr.binary)) {
    error(expr.position, fmt::format("this operator takes integers, not a {}", name_of(type)),
          "int(…) rounds towards zero");
    return;
  }
  convert(left, type);
  convert(right, type);
  expr.type = is_comparison(expr.binary) ? Type::kInt : type;
}

}  // namespace raddle::e
