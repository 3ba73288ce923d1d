#include "lang/e/statement_parser.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/stop_token.h"
#include "lang/e/construct_parser.h"
#include "lang/e/expression_parser.h"

namespace raddle::e {
namespace {

struct AssignmentRow {
  std::string_view symbol;
  BinaryOperator op;
};

constexpr std::array<AssignmentRow, 11> kAssignments = {{
    {"+=", BinaryOperator::kAdd},
    {"-=", BinaryOperator::kSub},
    {"*=", BinaryOperator::kMul},
    {"/=", BinaryOperator::kDiv},
    {"%=", BinaryOperator::kMod},
    {"&=", BinaryOperator::kAnd},
    {"|=", BinaryOperator::kOr},
    {"^=", BinaryOperator::kXor},
    {"<<=", BinaryOperator::kShl},
    {">>=", BinaryOperator::kSar},
    {">>>=", BinaryOperator::kShr},
}};

StatementPtr make(StatementKind kind, Position position) {
  auto statement = std::make_unique<Statement>();
  statement->kind = kind;
  statement->position = position;
  return statement;
}

// '=' or one of the compound assignments; the operator is empty for '='.
std::optional<BinaryOperator> parse_assignment_operator(TokenCursor& cursor) {
  if (cursor.accept("=")) return std::nullopt;
  const Token token = cursor.current();
  for (const AssignmentRow& row : kAssignments) {
    if (cursor.accept(row.symbol)) return row.op;
  }
  if (token.is("++") || token.is("--")) {
    cursor.fail(token.position, in_quotes(token.text) + " is not an operator of e",
                token.is("++") ? "write += 1" : "write -= 1");
  }
  if (token.is("==")) {
    cursor.fail(token.position, "expected '=' or a compound assignment, found '=='",
                "= assigns; == compares, as in if (a == b)");
  }
  cursor.fail_expected("'=' or a compound assignment");
}

// x = e, # -= e, f(x): what may stand in the head of a for loop and, with ';', as a statement.
StatementPtr parse_simple(TokenCursor& cursor) {
  const Token token = cursor.current();
  if (cursor.accept("#")) {
    StatementPtr statement = make(StatementKind::kSetThickness, token.position);
    statement->op = parse_assignment_operator(cursor);
    statement->value = parse_expression(cursor);
    return statement;
  }
  if (token.kind == TokenKind::kName && cursor.peek().is("(")) {
    StatementPtr statement = make(StatementKind::kCall, token.position);
    statement->value = parse_expression(cursor);
    return statement;
  }
  if (token.kind != TokenKind::kName) cursor.fail_expected("a statement");
  StatementPtr statement = make(StatementKind::kAssign, token.position);
  statement->target = parse_location(cursor);
  statement->op = parse_assignment_operator(cursor);
  statement->value = parse_expression(cursor);
  return statement;
}

std::vector<StatementPtr> parse_simple_list(TokenCursor& cursor, std::string_view end) {
  std::vector<StatementPtr> list;
  if (cursor.current().is(end)) return list;
  do {
    list.push_back(parse_simple(cursor));
  } while (cursor.accept(","));
  return list;
}

StatementPtr parse_thick(TokenCursor& cursor) {
  const Token hash = cursor.advance();
  StatementPtr statement = make(StatementKind::kThick, hash.position);
  statement->value = parse_expression(cursor);
  cursor.expect(":");
  statement->body.push_back(parse_statement(cursor));
  return statement;
}

// if and split: a condition, a statement and perhaps another.
StatementPtr parse_two_way(TokenCursor& cursor, StatementKind kind) {
  const Token word = cursor.advance();
  StatementPtr statement = make(kind, word.position);
  cursor.expect("(");
  statement->value = parse_expression(cursor);
  cursor.expect(")");
  statement->body.push_back(parse_statement(cursor));
  if (cursor.accept_word("else")) statement->body.push_back(parse_statement(cursor));
  return statement;
}

StatementPtr parse_while(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kWhile, word.position);
  cursor.expect("(");
  statement->value = parse_expression(cursor);
  cursor.expect(")");
  statement->body.push_back(parse_statement(cursor));
  return statement;
}

StatementPtr parse_do_while(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kDoWhile, word.position);
  statement->body.push_back(parse_statement(cursor));
  if (!cursor.accept_word("while")) cursor.fail_expected("'while' after the body of 'do'");
  cursor.expect("(");
  statement->value = parse_expression(cursor);
  cursor.expect(")");
  cursor.expect(";");
  return statement;
}

StatementPtr parse_for(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kFor, word.position);
  cursor.expect("(");
  if (type_of(cursor.current())) {
    statement->init.push_back(parse_declaration(cursor));
  } else {
    statement->init = parse_simple_list(cursor, ";");
    cursor.expect(";");
  }
  if (!cursor.current().is(";")) statement->value = parse_expression(cursor);
  cursor.expect(";");
  statement->step = parse_simple_list(cursor, ")");
  cursor.expect(")");
  statement->body.push_back(parse_statement(cursor));
  return statement;
}

StatementPtr parse_par(TokenCursor& cursor) {
  const Token word = cursor.advance();
  if (cursor.current().is_word("for")) {
    StatementPtr statement = parse_for(cursor);
    statement->kind = StatementKind::kParLoop;
    return statement;
  }
  if (cursor.accept("(")) {
    StatementPtr statement = make(StatementKind::kParFor, word.position);
    const Token name = cursor.expect_name("the name of the flow's number");
    Declaration declaration;
    declaration.name = std::string(name.text);
    declaration.position = name.position;
    statement->declarations.push_back(std::move(declaration));
    cursor.expect(":");
    statement->value = parse_expression(cursor);
    cursor.expect(")");
    statement->body.push_back(parse_statement(cursor));
    return statement;
  }
  if (!cursor.current().is("{")) {
    cursor.fail_expected("'{', '(' or 'for'",
                         "par { a; b; } runs statements as flows of their own, par (i : n) "
                         "statement runs n flows, par for (…) one for each iteration");
  }
  StatementPtr block = parse_block(cursor);
  block->kind = StatementKind::kPar;
  block->position = word.position;
  return block;
}

StatementPtr parse_return(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kReturn, word.position);
  if (!cursor.current().is(";")) statement->value = parse_expression(cursor);
  cursor.expect(";");
  return statement;
}

StatementPtr parse_assert(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kAssert, word.position);
  cursor.expect("(");
  statement->value = parse_expression(cursor);
  if (cursor.accept(",")) statement->text = cursor.expect_string("the message in quotes");
  cursor.expect(")");
  cursor.expect(";");
  return statement;
}

// print("text", value, …);
StatementPtr parse_print(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kPrint, word.position);
  cursor.expect("(");
  do {
    if (cursor.current().kind == TokenKind::kString) {
      statement->texts.push_back(cursor.expect_string("a text"));
      statement->operands.push_back(nullptr);
    } else {
      statement->operands.push_back(parse_expression(cursor));
    }
  } while (cursor.accept(","));
  cursor.expect(")");
  cursor.expect(";");
  return statement;
}

Declaration parse_declarator(TokenCursor& cursor, Type type) {
  Declaration declaration;
  declaration.type = type;
  const Token name = cursor.expect_name("the name of a variable");
  declaration.name = std::string(name.text);
  declaration.position = name.position;
  while (cursor.accept("[")) {
    declaration.extents.push_back(parse_expression(cursor));
    cursor.expect("]");
  }
  if (!cursor.accept("=")) return declaration;
  if (cursor.accept("{")) {
    declaration.init = Declaration::Init::kList;
    do {
      if (cursor.current().is("}")) break;
      declaration.values.push_back(parse_expression(cursor));
    } while (cursor.accept(","));
    cursor.expect("}");
  } else if (cursor.accept("[")) {
    declaration.init = Declaration::Init::kEach;
    declaration.values.push_back(parse_expression(cursor));
    cursor.expect("]");
  } else if (cursor.current().is_word("file") && cursor.peek().is("(")) {
    cursor.advance();
    cursor.advance();
    declaration.init = Declaration::Init::kFile;
    declaration.file_position = cursor.current().position;
    declaration.file = cursor.expect_string("the file's name in quotes");
    cursor.expect(")");
  } else {
    declaration.init = Declaration::Init::kValue;
    declaration.values.push_back(parse_expression(cursor));
  }
  return declaration;
}

using StatementParser = StatementPtr (*)(TokenCursor&);

StatementParser find_keyword(std::string_view word) {
  struct Row {
    std::string_view word;
    StatementParser parse;
  };
  static constexpr std::array<Row, 12> kRows = {{
      {"int", parse_declaration},
      {"float", parse_declaration},
      {"double", parse_declaration},
      {"while", parse_while},
      {"do", parse_do_while},
      {"for", parse_for},
      {"par", parse_par},
      {"return", parse_return},
      {"assert", parse_assert},
      {"print", parse_print},
      {"if", [](TokenCursor& cursor) { return parse_two_way(cursor, StatementKind::kIf); }},
      {"split", [](TokenCursor& cursor) { return parse_two_way(cursor, StatementKind::kSplit); }},
  }};
  for (const Row& row : kRows) {
    if (row.word == word) return row.parse;
  }
  return nullptr;
}

}  // namespace

StatementPtr parse_declaration(TokenCursor& cursor) {
  const Token word = cursor.advance();
  StatementPtr statement = make(StatementKind::kDeclare, word.position);
  do {
    statement->declarations.push_back(parse_declarator(cursor, *type_of(word)));
  } while (cursor.accept(","));
  cursor.expect(";");
  return statement;
}

StatementPtr parse_block(TokenCursor& cursor) {
  const Token brace = cursor.current();
  cursor.expect("{");
  StatementPtr block = make(StatementKind::kBlock, brace.position);
  while (!cursor.current().is("}")) {
    if (cursor.at_end()) {
      cursor.fail(brace.position, "this '{' is never closed", "add the missing '}'");
    }
    try {
      block->body.push_back(parse_statement(cursor));
    } catch (const SyntaxFailure&) {
      cursor.recover();
    }
  }
  cursor.advance();
  return block;
}

StatementPtr parse_statement(TokenCursor& cursor) {
  throw_if_stopped(kCompilingE);
  const TokenCursor::Nesting nesting(cursor);
  const Token token = cursor.current();
  if (cursor.accept(";")) return make(StatementKind::kEmpty, token.position);
  if (token.is("{")) return parse_block(cursor);
  if (token.kind == TokenKind::kName) {
    if (token.is_word("break") || token.is_word("continue")) {
      cursor.advance();
      cursor.expect(";");
      return make(token.is_word("break") ? StatementKind::kBreak : StatementKind::kContinue,
                  token.position);
    }
    if (const StatementParser parse = find_keyword(token.text)) return parse(cursor);
    if (is_construct(cursor)) return parse_construct(cursor);
    if (cursor.peek().kind == TokenKind::kName) {
      cursor.fail(token.position, in_quotes(token.text) + " is not a type of e",
                  type_of(cursor.peek()) ? "the types are int, float and double"
                                         : "the types are int, float and double: int " +
                                               std::string(cursor.peek().text));
    }
    if (token.is_word("else")) cursor.fail(token.position, "'else' without an 'if' before it");
  }
  // '#' begins both "# = e;" and "# e : statement".
  if (token.is("#")) {
    const Token& next = cursor.peek();
    const bool assigns = next.kind == TokenKind::kSymbol && !next.text.empty() &&
                         next.text.back() == '=' && next.text != "==" && next.text != "!=" &&
                         next.text != "<=" && next.text != ">=";
    if (!assigns) return parse_thick(cursor);
  }
  StatementPtr statement = parse_simple(cursor);
  cursor.expect(";");
  return statement;
}

}  // namespace raddle::e
