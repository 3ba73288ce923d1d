// Statements.
#include <fmt/format.h>

#include "lang/cg/syntax/parser.h"

namespace raddle::cg {
namespace {

StmtPtr make(StmtKind kind, Place place) {
  auto statement = std::make_unique<Stmt>();
  statement->kind = kind;
  statement->place = place;
  return statement;
}

}  // namespace

StmtPtr Parser::statement() {
  enter();
  StmtPtr result = statement_inside();
  leave();
  return result;
}

StmtPtr Parser::statement_inside() {
  const Token first = token();
  if (first.is("{")) return block();
  if (accept(";")) return make(StmtKind::kBlock, first.place);
  if (first.is_name("if")) return if_statement();
  if (first.is_name("for")) return for_statement();
  if (first.is_name("while")) return while_statement();
  if (first.is_name("do")) return do_statement();
  if (first.is_name("return")) return return_statement();
  if (first.is_name("break") || first.is_name("continue")) return loop_jump();
  if (first.is_name("discard")) return discard_statement();
  if (first.is_name("else")) fail(first.place, "'else' without an 'if' before it");
  if (first.is_name("switch") || first.is_name("goto") || first.is_name("case"))
    fail(first.place, fmt::format("'{}' is not supported", first.text), "use if and else");
  const bool two_names = first.kind == TokenKind::kName && token(1).kind == TokenKind::kName;
  if (starts_type() || two_names) return local_declaration();
  return expression_statement();
}

StmtPtr Parser::block() {
  StmtPtr result = make(StmtKind::kBlock, expect("{").place);
  scopes_.emplace_back();
  const std::size_t scope = scopes_.size();
  const int depth = depth_;
  const int loops = loops_;
  while (!token().is("}") && token().kind != TokenKind::kEnd) {
    try {
      result->body.push_back(statement());
    } catch (const Failure&) {
      if (diagnostics_.is_full()) throw;
      scopes_.resize(scope);
      depth_ = depth;
      loops_ = loops;
      skip_statement();
    }
  }
  scopes_.pop_back();
  expect("}");
  return result;
}

StmtPtr Parser::local_declaration() {
  StmtPtr result = make(StmtKind::kGroup, token().place);
  declare_locals(result->body);
  return result;
}

// type name [= value] {, name [= value]} ;
void Parser::declare_locals(std::vector<StmtPtr>& into) {
  const Qualifiers with = qualifiers();
  const Type base = type();
  if (base.base == BaseType::kStruct && accept(";")) return;
  if (with.is_uniform)
    fail(token().place, "a uniform is declared outside of functions or as a parameter");
  do {
    const Token name = expect_name("the name of a variable");
    Variable variable;
    variable.type = array_suffix(base);
    variable.is_const = with.is_const;
    if (base.base == BaseType::kVoid) fail(name.place, "a variable cannot be void");
    StmtPtr declared = make(StmtKind::kDeclare, name.place);
    if (accept("=")) {
      declared->expressions.push_back(initial_value(name, variable.type));
      const Type found = declared->expressions[0]->type;
      if (variable.type.array == Type::kUnsized) variable.type = found;
      if (with.is_const && found.is_scalar()) variable.initial = clone(*declared->expressions[0]);
    }
    expect_size(name, variable.type);
    declared->index = declare(name, std::move(variable));
    into.push_back(std::move(declared));
  } while (accept(","));
  expect(";");
}

// Where it is wrong, uses of the name are not told of as well.
ExprPtr Parser::initial_value(const Token& name, const Type& wanted) {
  try {
    ExprPtr value = first_value(wanted);
    if (!value->type.is_error()) return value;
  } catch (const Failure&) {
    scopes_.back().try_emplace(std::string(name.text), kWrongVariable);
    throw;
  }
  scopes_.back().try_emplace(std::string(name.text), kWrongVariable);
  throw Failure{};
}

ExprPtr Parser::first_value(const Type& wanted) {
  if (token().is("{")) return brace_list(wanted);
  return checker_.convert(assignment(), wanted, "the variable");
}

StmtPtr Parser::if_statement() {
  StmtPtr result = make(StmtKind::kIf, advance().place);
  expect("(");
  result->expressions.push_back(checker_.condition(expression(), "'if'"));
  expect(")");
  scopes_.emplace_back();
  result->body.push_back(statement());
  scopes_.pop_back();
  if (accept_name("else")) {
    scopes_.emplace_back();
    result->body.push_back(statement());
    scopes_.pop_back();
  }
  return result;
}

StmtPtr Parser::for_statement() {
  StmtPtr result = make(StmtKind::kFor, advance().place);
  expect("(");
  scopes_.emplace_back();
  if (!accept(";")) {
    if (starts_type())
      declare_locals(result->body);
    else
      result->body.push_back(expression_statement());
  }
  if (!token().is(";")) result->condition = checker_.condition(expression(), "'for'");
  expect(";");
  if (!token().is(")")) result->step = expression();
  expect(")");
  ++loops_;
  result->loop_body = statement();
  --loops_;
  scopes_.pop_back();
  return result;
}

StmtPtr Parser::while_statement() {
  StmtPtr result = make(StmtKind::kWhile, advance().place);
  expect("(");
  result->condition = checker_.condition(expression(), "'while'");
  expect(")");
  scopes_.emplace_back();
  ++loops_;
  result->loop_body = statement();
  --loops_;
  scopes_.pop_back();
  return result;
}

StmtPtr Parser::do_statement() {
  StmtPtr result = make(StmtKind::kDoWhile, advance().place);
  scopes_.emplace_back();
  ++loops_;
  result->loop_body = statement();
  --loops_;
  scopes_.pop_back();
  if (!accept_name("while")) fail(token().place, "expected 'while' after the body of 'do'");
  expect("(");
  result->condition = checker_.condition(expression(), "'while'");
  expect(")");
  expect(";");
  return result;
}

StmtPtr Parser::return_statement() {
  StmtPtr result = make(StmtKind::kReturn, advance().place);
  const bool is_void = current_->result.base == BaseType::kVoid;
  if (!token().is(";")) {
    ExprPtr value = token().is("{") ? brace_list(current_->result) : expression();
    if (is_void) {
      diagnostics_.error(value->place, fmt::format("'{}' returns nothing", current_->name));
    } else {
      result->expressions.push_back(
          checker_.convert(std::move(value), current_->result, "the result"));
    }
  } else if (!is_void) {
    diagnostics_.error(result->place, fmt::format("'{}' returns a {}", current_->name,
                                                  checker_.name_of(current_->result)));
  }
  expect(";");
  return result;
}

// discard; or discard condition;
StmtPtr Parser::discard_statement() {
  const Place place = advance().place;
  StmtPtr discard = make(StmtKind::kDiscard, place);
  if (accept(";")) return discard;
  StmtPtr result = make(StmtKind::kIf, place);
  std::vector<ExprPtr> given;
  given.push_back(expression());
  expect(";");
  result->expressions.push_back(
      checker_.condition(checker_.call(place, "any", std::move(given)), "'discard'"));
  result->body.push_back(std::move(discard));
  return result;
}

StmtPtr Parser::loop_jump() {
  const Token word = advance();
  if (loops_ == 0) diagnostics_.error(word.place, fmt::format("'{}' outside of a loop", word.text));
  expect(";");
  return make(word.text == "break" ? StmtKind::kBreak : StmtKind::kContinue, word.place);
}

StmtPtr Parser::expression_statement() {
  StmtPtr result = make(StmtKind::kExpression, token().place);
  result->expressions.push_back(expression());
  expect(";");
  return result;
}

}  // namespace raddle::cg
