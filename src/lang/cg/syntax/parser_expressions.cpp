// Expressions, from the comma down to names and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest_name.h"
#include "lang/cg/syntax/constant_value.h"
#include "lang/cg/syntax/parser.h"

namespace raddle::cg {
namespace {

struct BinaryOperator {
  std::string_view text;
  Op op;
  int precedence;
};
constexpr std::array<BinaryOperator, 13> kBinary = {{{"||", Op::kOr, 1},
                                                     {"&&", Op::kAnd, 2},
                                                     {"==", Op::kEqual, 6},
                                                     {"!=", Op::kNotEqual, 6},
                                                     {"<", Op::kLess, 7},
                                                     {">", Op::kGreater, 7},
                                                     {"<=", Op::kLessEqual, 7},
                                                     {">=", Op::kGreaterEqual, 7},
                                                     {"+", Op::kAdd, 9},
                                                     {"-", Op::kSubtract, 9},
                                                     {"*", Op::kMultiply, 10},
                                                     {"/", Op::kDivide, 10},
                                                     {"%", Op::kModulo, 10}}};

struct AssignOperator {
  std::string_view text;
  Op op;
};
constexpr std::array<AssignOperator, 5> kAssign = {{{"+=", Op::kAdd},
                                                    {"-=", Op::kSubtract},
                                                    {"*=", Op::kMultiply},
                                                    {"/=", Op::kDivide},
                                                    {"%=", Op::kModulo}}};

// Computed here for constants; the processor has none.
struct BitOperator {
  std::string_view text;
  int precedence;
  std::int64_t (*value)(std::int64_t, std::int64_t);
};
constexpr std::int64_t kMaxShift = 23;
constexpr std::array<BitOperator, 5> kBits = {
    {{"|", 3, [](std::int64_t a, std::int64_t b) { return a | b; }},
     {"^", 4, [](std::int64_t a, std::int64_t b) { return a ^ b; }},
     {"&", 5, [](std::int64_t a, std::int64_t b) { return a & b; }},
     {"<<", 8,
      [](std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a)
                                         << std::clamp<std::int64_t>(b, 0, kMaxShift));
      }},
     {">>", 8,
      [](std::int64_t a, std::int64_t b) { return a >> std::clamp<std::int64_t>(b, 0, 63); }}}};
constexpr std::string_view kBitAssignments[] = {"&=", "|=", "^=", "<<=", ">>="};
constexpr std::string_view kNoBits = "r5xx has no operations on bits: it computes with floats only";

}  // namespace

ExprPtr Parser::expression() {
  ExprPtr left = assignment();
  while (token().is(",")) {
    const Place place = advance().place;
    ExprPtr right = assignment();
    auto both = std::make_unique<Expr>();
    both->kind = ExprKind::kComma;
    both->place = place;
    both->type = left->type.is_error() ? left->type : right->type;
    both->operands.push_back(std::move(left));
    both->operands.push_back(std::move(right));
    left = std::move(both);
  }
  return left;
}

ExprPtr Parser::assignment() {
  enter();
  ExprPtr left = conditional();
  const Token sign = token();
  if (accept("=")) {
    ExprPtr value = token().is("{") ? brace_list(left->type) : assignment();
    left = checker_.assign(sign.place, std::move(left), std::move(value));
  } else {
    for (const AssignOperator& candidate : kAssign) {
      if (!sign.is(candidate.text)) continue;
      advance();
      left = checker_.assign_with(sign.place, candidate.op, std::move(left), assignment());
      break;
    }
  }
  leave();
  return left;
}

ExprPtr Parser::conditional() {
  ExprPtr condition = binary(1);
  if (!token().is("?")) return condition;
  const Place place = advance().place;
  ExprPtr then = assignment();
  expect(":");
  ExprPtr otherwise = assignment();
  return checker_.conditional(place, std::move(condition), std::move(then), std::move(otherwise));
}

ExprPtr Parser::binary(int least) {
  ExprPtr left = unary();
  for (;;) {
    const BinaryOperator* found = nullptr;
    for (const BinaryOperator& candidate : kBinary) {
      if (token().is(candidate.text)) found = &candidate;
    }
    for (const std::string_view bits : kBitAssignments) {
      if (token().is(bits))
        fail(token().place, fmt::format("'{}' is not supported", bits), std::string(kNoBits));
    }
    const auto bits = std::ranges::find_if(
        kBits, [&](const BitOperator& candidate) { return token().is(candidate.text); });
    if (bits != kBits.end()) {
      if (bits->precedence < least) return left;
      const Place place = advance().place;
      const ExprPtr right = binary(bits->precedence + 1);
      const auto a = constant_integer(*left, program_);
      const auto b = constant_integer(*right, program_);
      if (!a || !b)
        fail(place, fmt::format("'{}' is not supported", bits->text), std::string(kNoBits));
      left = checker_.literal(place, static_cast<float>(bits->value(*a, *b)), BaseType::kInt);
      continue;
    }
    if (found == nullptr || found->precedence < least) return left;
    const Place place = advance().place;
    ExprPtr right = binary(found->precedence + 1);
    left = checker_.binary(place, found->op, std::move(left), std::move(right));
  }
}

ExprPtr Parser::unary() {
  enter();
  ExprPtr result = unary_inside();
  leave();
  return result;
}

ExprPtr Parser::unary_inside() {
  const Place place = token().place;
  if (accept("+")) return unary();
  if (accept("-")) {
    ExprPtr operand = unary();
    if (operand->kind == ExprKind::kLiteral && operand->type.is_number()) {
      operand->number = -operand->number;
      operand->place = place;
      return operand;
    }
    return checker_.unary(place, Op::kNegate, std::move(operand));
  }
  if (accept("!")) return checker_.unary(place, Op::kNot, unary());
  if (accept("++")) return checker_.increment(place, unary(), 1, false);
  if (accept("--")) return checker_.increment(place, unary(), -1, false);
  if (token().is("~"))
    fail(place, fmt::format("'{}' is not supported", token().text), std::string(kNoBits));
  if (token().is("&") || token().is("*"))
    fail(place, fmt::format("'{}' is not supported", token().text));
  if (token().is("(") && token(1).kind == TokenKind::kName &&
      (!builtin_type(token(1).text).is_error() || type_names_.contains(token(1).text)) &&
      token(2).is(")")) {
    advance();
    const Type to = type();
    expect(")");
    return checker_.cast(place, to, unary());
  }
  return postfix();
}

ExprPtr Parser::postfix() {
  ExprPtr object = primary();
  for (;;) {
    const Place place = token().place;
    if (accept(".")) {
      const Token name = expect_name("a field or swizzle");
      if (token().is("(") && has_method(object->type, name.text)) {
        const std::string method = method_name(object->type, name.text);
        std::vector<ExprPtr> given = arguments();
        given.insert(given.begin(), std::move(object));
        object = checker_.call(name.place, method, std::move(given));
        continue;
      }
      object = checker_.member(name.place, std::move(object), name.text);
      if (object->type.is_error() && token().is("(")) arguments();
    } else if (accept("[")) {
      ExprPtr position = expression();
      expect("]");
      object = checker_.index(place, std::move(object), std::move(position));
    } else if (accept("++")) {
      object = checker_.increment(place, std::move(object), 1, true);
    } else if (accept("--")) {
      object = checker_.increment(place, std::move(object), -1, true);
    } else {
      return object;
    }
  }
}

ExprPtr Parser::primary() {
  const Token first = token();
  if (first.kind == TokenKind::kInteger || first.kind == TokenKind::kReal) {
    advance();
    const BaseType base = first.kind == TokenKind::kReal ? BaseType::kFloat : BaseType::kInt;
    return checker_.literal(first.place, static_cast<float>(first.number), base);
  }
  if (accept("(")) {
    ExprPtr inside = expression();
    expect(")");
    return inside;
  }
  if (first.kind == TokenKind::kName) return name_expression();
  fail(first.place, fmt::format("expected an expression before {}", describe(first)));
}

ExprPtr Parser::name_expression() {
  const Token name = advance();
  if (name.text == "true" || name.text == "false")
    return checker_.literal(name.place, name.text == "true" ? 1.0F : 0.0F, BaseType::kBool);
  if (owner_ && token().is("(") && has_method(*owner_, name.text)) {
    std::vector<ExprPtr> given = arguments();
    given.insert(given.begin(), this_object(name.place));
    return checker_.call(name.place, method_name(*owner_, name.text), std::move(given));
  }
  if (is_own_field(name.text))
    return checker_.member(name.place, this_object(name.place), name.text);
  const auto variable = find_variable(name.text);
  Type made = builtin_type(name.text);
  if (const auto alias = type_names_.find(name.text); alias != type_names_.end())
    made = alias->second;
  // A variable may be named like its struct.
  if (!made.is_error() && !(variable && !token().is("("))) {
    if (token().is("[")) {  // float[](1, 2) and float[2](1, 2)
      made = array_suffix(made);
      return checker_.initializer(name.place, made, arguments());
    }
    if (!token().is("(")) fail(name.place, fmt::format("unexpected type '{}'", name.text));
    return checker_.construct(name.place, made, arguments());
  }
  if (token().is("(")) {
    const bool is_told = variable == kWrongVariable || type_names_.contains(name.text);
    if (is_told) throw Failure{};
    if (variable) fail(name.place, fmt::format("'{}' is a variable, not a function", name.text));
    return checker_.call(name.place, name.text, arguments());
  }
  if (variable == kWrongVariable) return checker_.error_expression(name.place);
  if (variable) return checker_.variable(name.place, *variable);
  std::vector<std::string> known;
  for (const Scope& scope : scopes_) {
    for (const auto& entry : scope) known.push_back(entry.first);
  }
  diagnostics_.error(name.place, fmt::format("unknown name '{}'", name.text),
                     suggestion(name.text, known));
  return checker_.error_expression(name.place);
}

ExprPtr Parser::this_object(Place place) {
  return checker_.variable(place, find_variable("this").value());
}

// Fields come after what the function declares itself and before globals.
bool Parser::is_own_field(std::string_view name) const {
  if (!owner_ || scopes_.size() < 2) return false;
  for (std::size_t i = 1; i < scopes_.size(); ++i) {
    if (scopes_[i].contains(name)) return false;
  }
  return std::ranges::any_of(program_.structures[owner_->structure].fields,
                             [&](const Field& field) { return field.name == name; });
}

std::vector<ExprPtr> Parser::arguments() {
  expect("(");
  std::vector<ExprPtr> given;
  if (accept(")")) return given;
  do given.push_back(assignment());
  while (accept(","));
  expect(")");
  return given;
}

// { a, b, … } where something of `type` is wanted; lists may stand in lists.
ExprPtr Parser::brace_list(const Type& wanted) {
  enter();
  const Place place = expect("{").place;
  std::vector<ExprPtr> parts;
  const auto part_type = [&]() -> Type {
    if (wanted.array > 0) return wanted.element();
    if (wanted.base == BaseType::kStruct) {
      const std::vector<Field>& fields = program_.structures[wanted.structure].fields;
      return parts.size() < fields.size() ? fields[parts.size()].type : Type{};
    }
    if (wanted.is_matrix()) return vector_type(wanted.base, wanted.columns);
    return scalar_type(wanted.base);
  };
  while (!token().is("}")) {
    parts.push_back(token().is("{") ? brace_list(part_type()) : assignment());
    if (!accept(",")) break;
  }
  expect("}");
  leave();
  if (wanted.is_error()) return checker_.error_expression(place);
  return checker_.initializer(place, wanted, std::move(parts));
}

}  // namespace raddle::cg
