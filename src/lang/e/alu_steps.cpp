#include "lang/e/alu_steps.h"

#include <array>
#include <string_view>

namespace raddle::e {
namespace {

using Source = AluStep::Source;

Source child(int number) { return {number, 0, false}; }
Source constant(std::int64_t number) { return {-1, number, false}; }
Source last() { return {-1, 0, true}; }

constexpr std::int64_t sign_of(Type type) {
  return type == Type::kFloat ? std::int64_t{1} << 31
                              : static_cast<std::int64_t>(std::uint64_t{1} << 63);
}

std::string with_type(const std::string& name, Type type) {
  return type == Type::kFloat ? name + "S" : name;
}

// CWD: a word to a double.
std::string conversion(Type from, Type to) {
  constexpr std::string_view kLetters = "WSD";
  return {'C', kLetters[static_cast<std::size_t>(from)], kLetters[static_cast<std::size_t>(to)]};
}

std::vector<AluStep> unary_steps(const Expr& expr) {
  const Type type = expr.children[0]->type;
  const bool is_int = type == Type::kInt;
  switch (expr.unary) {
    case UnaryOperator::kNegate:
      if (is_int) return {{"SUB", {constant(0), child(0)}}};
      return {{"XOR", {child(0), constant(sign_of(type))}}};
    case UnaryOperator::kComplement: return {{"XOR", {child(0), constant(-1)}}};
    case UnaryOperator::kAbs:
      if (is_int) return {{"SUB", {constant(0), child(0)}}, {"MAX", {child(0), last()}}};
      return {{"ANN", {child(0), constant(sign_of(type))}}};
    case UnaryOperator::kConvert:
      if (type == expr.type) return {};
      return {{conversion(type, expr.type), {child(0)}}};
    case UnaryOperator::kNot: return {{"SEQ", {child(0), constant(0)}}};
    default: return {{with_type("FSQRT", type), {child(0)}}};  // the others are the host's
  }
}

}  // namespace

std::string alu_name(BinaryOperator op, Type type) {
  constexpr std::array<std::string_view, kAluOperators> kNames = {
      "ADD",  "SUB",  "MUL",  "DIV", "MOD", "AND",  "OR",  "XOR", "SHL",
      "SHR",  "SAR",  "SEQ",  "SNE", "SLT", "SLE",  "SGT", "SGE", "SLTU",
      "SLEU", "SGTU", "SGEU", "MIN", "MAX", "MINU", "MAXU"};
  const std::string name(kNames[static_cast<std::size_t>(op)]);
  return type == Type::kInt ? name : with_type("F" + name, type);
}

std::vector<AluStep> alu_steps(const Expr& expr) {
  const Type type = expr.children[0]->type;
  if (expr.kind == ExprKind::kUnary) return unary_steps(expr);
  if (expr.kind == ExprKind::kFused) {
    return {{with_type("FMA", type), {child(0), child(1), child(2)}}};
  }
  // a > b is b < a.
  if (expr.binary == BinaryOperator::kGreater) {
    return {{alu_name(BinaryOperator::kLess, type), {child(1), child(0)}}};
  }
  if (expr.binary == BinaryOperator::kGreaterEqual) {
    return {{alu_name(BinaryOperator::kLessEqual, type), {child(1), child(0)}}};
  }
  return {{alu_name(expr.binary, type), {child(0), child(1)}}};
}

}  // namespace raddle::e
