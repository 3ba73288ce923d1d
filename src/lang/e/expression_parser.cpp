#include "lang/e/expression_parser.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace raddle::e {
namespace {

struct OperatorRow {
  std::string_view symbol;
  int precedence;  // higher binds tighter
  BinaryOperator op;
};

constexpr std::array<OperatorRow, 19> kOperators = {{
    {"||", 1, BinaryOperator::kLogicalOr},
    {"&&", 2, BinaryOperator::kLogicalAnd},
    {"|", 3, BinaryOperator::kOr},
    {"^", 4, BinaryOperator::kXor},
    {"&", 5, BinaryOperator::kAnd},
    {"==", 6, BinaryOperator::kEqual},
    {"!=", 6, BinaryOperator::kNotEqual},
    {"<", 7, BinaryOperator::kLess},
    {"<=", 7, BinaryOperator::kLessEqual},
    {">", 7, BinaryOperator::kGreater},
    {">=", 7, BinaryOperator::kGreaterEqual},
    {"<<", 8, BinaryOperator::kShl},
    {">>", 8, BinaryOperator::kSar},
    {">>>", 8, BinaryOperator::kShr},
    {"+", 9, BinaryOperator::kAdd},
    {"-", 9, BinaryOperator::kSub},
    {"*", 10, BinaryOperator::kMul},
    {"/", 10, BinaryOperator::kDiv},
    {"%", 10, BinaryOperator::kMod},
}};

struct FunctionRow {
  std::string_view name;
  BinaryOperator op;
};

constexpr std::array<FunctionRow, 8> kOperatorFunctions = {{
    {"min", BinaryOperator::kMin},
    {"max", BinaryOperator::kMax},
    {"minu", BinaryOperator::kMinU},
    {"maxu", BinaryOperator::kMaxU},
    {"ltu", BinaryOperator::kLessU},
    {"leu", BinaryOperator::kLessEqualU},
    {"gtu", BinaryOperator::kGreaterU},
    {"geu", BinaryOperator::kGreaterEqualU},
}};

ExprPtr make(ExprKind kind, Position position) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->position = position;
  return expr;
}

const OperatorRow* find_operator(const Token& token) {
  if (token.kind != TokenKind::kSymbol) return nullptr;
  for (const OperatorRow& row : kOperators) {
    if (row.symbol == token.text) return &row;
  }
  return nullptr;
}

std::optional<BinaryOperator> find_operator_function(std::string_view name) {
  for (const FunctionRow& row : kOperatorFunctions) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

void expect_arguments(TokenCursor& cursor, const Token& name, const std::vector<ExprPtr>& arguments,
                      std::size_t count) {
  if (arguments.size() == count) return;
  cursor.fail(name.position, in_quotes(name.text) + " takes " + std::to_string(count) +
                                 (count == 1 ? " argument, not " : " arguments, not ") +
                                 std::to_string(arguments.size()));
}

ExprPtr parse_reduce(TokenCursor& cursor, const Token& name) {
  ExprPtr expr = make(ExprKind::kBuiltin, name.position);
  expr->builtin = Builtin::kReduce;
  cursor.expect("(");
  expr->multi = parse_multi_operator(cursor);
  cursor.expect(",");
  expr->children.push_back(parse_expression(cursor));
  cursor.expect(")");
  return expr;
}

ExprPtr conversion(Position position, Type type, ExprPtr operand) {
  ExprPtr expr = make(ExprKind::kUnary, position);
  expr->unary = UnaryOperator::kConvert;
  expr->type = type;
  expr->children.push_back(std::move(operand));
  return expr;
}

// multi, prefix and their like give no value.
void refuse_construct(TokenCursor& cursor, const Token& name) {
  const bool is_prefix = name.text == "prefix" || name.text == "fast_prefix";
  const bool is_multi = name.text == "multi" || name.text == "fast_multi";
  if (!is_prefix && !is_multi && name.text != "compact" && name.text != "partition") return;
  cursor.fail(name.position, in_quotes(name.text) + " is a statement and has no value",
              is_prefix  ? "prefix(p, OP, target, value); leaves each fiber's prefix in p"
              : is_multi ? "multi(OP, target, value); combines into the target; reduce(OP, value) "
                           "gives a value"
                         : "it stores into the arrays that it names");
}

ExprPtr parse_call(TokenCursor& cursor, const Token& name) {
  refuse_construct(cursor, name);
  if (name.text == "reduce") return parse_reduce(cursor, name);
  std::vector<ExprPtr> arguments = parse_arguments(cursor);
  if (const std::optional<Type> type = type_of(name)) {
    expect_arguments(cursor, name, arguments, 1);
    return conversion(name.position, *type, std::move(arguments[0]));
  }
  if (const std::optional<BinaryOperator> op = find_operator_function(name.text)) {
    expect_arguments(cursor, name, arguments, 2);
    ExprPtr expr = make(ExprKind::kBinary, name.position);
    expr->binary = *op;
    expr->children = std::move(arguments);
    return expr;
  }
  ExprPtr expr = make(ExprKind::kCall, name.position);
  if (name.text == "initial" || name.text == "random") {
    expr->kind = ExprKind::kBuiltin;
    expr->builtin = name.text == "initial" ? Builtin::kInitial : Builtin::kRandom;
    expect_arguments(cursor, name, arguments, name.text == "initial" ? 1 : 3);
  }
  expr->name = std::string(name.text);
  expr->children = std::move(arguments);
  return expr;
}

ExprPtr parse_indices(TokenCursor& cursor, const Token& name) {
  ExprPtr expr =
      make(cursor.current().is("[") ? ExprKind::kElement : ExprKind::kName, name.position);
  expr->name = std::string(name.text);
  while (cursor.accept("[")) {
    // x_[] names a whole array where a function takes one.
    if (cursor.current().is("]") && expr->children.empty()) {
      cursor.advance();
      return expr;
    }
    expr->children.push_back(parse_expression(cursor));
    cursor.expect("]");
  }
  return expr;
}

ExprPtr parse_unary(TokenCursor& cursor);

ExprPtr parse_primary(TokenCursor& cursor) {
  const Token token = cursor.current();
  if (token.kind == TokenKind::kNumber) {
    cursor.advance();
    ExprPtr expr = make(ExprKind::kNumber, token.position);
    expr->value = token.value;
    expr->type = token.type;
    return expr;
  }
  if (token.kind == TokenKind::kName) {
    cursor.advance();
    if (cursor.current().is("(")) return parse_call(cursor, token);
    return parse_indices(cursor, token);
  }
  if (cursor.accept("(")) {
    const std::optional<Type> type = type_of(cursor.current());
    if (type && cursor.peek().is(")")) {
      cursor.advance();
      cursor.advance();
      return conversion(token.position, *type, parse_unary(cursor));
    }
    ExprPtr expr = parse_expression(cursor);
    cursor.expect(")");
    return expr;
  }
  if (cursor.accept("$")) return make(ExprKind::kFiberId, token.position);
  if (cursor.accept("$$")) return make(ExprKind::kParentId, token.position);
  if (cursor.accept("#")) return make(ExprKind::kThickness, token.position);
  if (token.is("++") || token.is("--")) {
    cursor.fail(token.position, in_quotes(token.text) + " is not an operator of e",
                "write x += 1 or x -= 1 as a statement");
  }
  if (token.kind == TokenKind::kString) {
    cursor.fail(token.position, "a text has no value",
                "check { print(\"x is \", x_); } writes texts and values when the run has ended");
  }
  cursor.fail_expected("an expression");
}

ExprPtr parse_unary(TokenCursor& cursor) {
  const TokenCursor::Nesting nesting(cursor);
  const Token token = cursor.current();
  std::optional<UnaryOperator> op;
  if (token.is("-")) op = UnaryOperator::kNegate;
  if (token.is("~")) op = UnaryOperator::kComplement;
  if (token.is("!")) op = UnaryOperator::kNot;
  if (token.is("+")) {
    cursor.advance();
    return parse_unary(cursor);
  }
  if (!op) return parse_primary(cursor);
  cursor.advance();
  ExprPtr expr = make(ExprKind::kUnary, token.position);
  expr->unary = *op;
  expr->children.push_back(parse_unary(cursor));
  return expr;
}

ExprPtr parse_binary(TokenCursor& cursor, int least_precedence) {
  ExprPtr left = parse_unary(cursor);
  for (;;) {
    const OperatorRow* row = find_operator(cursor.current());
    if (row == nullptr || row->precedence < least_precedence) return left;
    const Token token = cursor.advance();
    ExprPtr right = parse_binary(cursor, row->precedence + 1);
    ExprPtr expr = make(ExprKind::kBinary, token.position);
    expr->binary = row->op;
    expr->children.push_back(std::move(left));
    expr->children.push_back(std::move(right));
    left = std::move(expr);
  }
}

}  // namespace

ExprPtr parse_expression(TokenCursor& cursor) {
  const TokenCursor::Nesting nesting(cursor);
  ExprPtr condition = parse_binary(cursor, 1);
  const Token question = cursor.current();
  if (!cursor.accept("?")) return condition;
  ExprPtr expr = make(ExprKind::kConditional, question.position);
  expr->children.push_back(std::move(condition));
  expr->children.push_back(parse_expression(cursor));
  cursor.expect(":");
  expr->children.push_back(parse_expression(cursor));
  return expr;
}

ExprPtr parse_location(TokenCursor& cursor) {
  const Token name = cursor.expect_name("the name of a variable");
  return parse_indices(cursor, name);
}

std::vector<ExprPtr> parse_arguments(TokenCursor& cursor) {
  std::vector<ExprPtr> arguments;
  cursor.expect("(");
  if (cursor.accept(")")) return arguments;
  do {
    arguments.push_back(parse_expression(cursor));
  } while (cursor.accept(","));
  cursor.expect(")");
  return arguments;
}

MultiOperator parse_multi_operator(TokenCursor& cursor) {
  const Token name = cursor.current();
  constexpr const char* kHint = "the operators are ADD, SUB, AND, OR, MAX, MAXU, MIN and MINU";
  if (name.kind == TokenKind::kName) {
    if (const std::optional<MultiOperator> op = find_multi_operator(name.text)) {
      cursor.advance();
      return *op;
    }
    cursor.fail(name.position, in_quotes(name.text) + " is not an operator of multioperations",
                kHint);
  }
  cursor.fail_expected("an operator of multioperations", kHint);
}

}  // namespace raddle::e
