#include "lang/e/parser.h"

#include <optional>
#include <utility>

#include "lang/e/expression_parser.h"
#include "lang/e/statement_parser.h"
#include "lang/e/token_cursor.h"

namespace raddle::e {
namespace {

// const N = 4; param N = 4;
void parse_constant(TokenCursor& cursor, Program& program) {
  const bool is_parameter = cursor.advance().text == "param";
  const std::optional<Type> type = type_of(cursor.current());
  if (type) cursor.advance();
  do {
    ConstantItem item;
    item.type = type;
    const Token name = cursor.expect_name("the name of a constant");
    item.name = std::string(name.text);
    item.position = name.position;
    item.is_parameter = is_parameter;
    cursor.expect("=");
    item.value = parse_expression(cursor);
    program.constants.push_back(std::move(item));
  } while (cursor.accept(","));
  cursor.expect(";");
}

// output A_ to "file";
void parse_output(TokenCursor& cursor, Program& program) {
  cursor.advance();
  Output output;
  const Token name = cursor.expect_name("the name of a shared variable");
  output.name = std::string(name.text);
  output.position = name.position;
  if (!cursor.accept_word("to")) cursor.fail_expected("'to'");
  output.file = cursor.expect_string("the file's name in quotes");
  cursor.expect(";");
  program.outputs.push_back(std::move(output));
}

Parameter parse_parameter(TokenCursor& cursor) {
  const std::optional<Type> type = type_of(cursor.current());
  if (!type) cursor.fail_expected("'int', 'float' or 'double'");
  cursor.advance();
  const Token name = cursor.expect_name("the name of a parameter");
  Parameter parameter;
  parameter.type = *type;
  parameter.name = std::string(name.text);
  parameter.position = name.position;
  while (cursor.accept("[")) {
    cursor.expect("]");
    ++parameter.indices;
  }
  return parameter;
}

// The type of a function that returns one value a fiber: int$, float$, double$.
std::optional<Type> fiber_type_of(Token word) {
  if (word.kind != TokenKind::kName || !word.text.ends_with('$')) return std::nullopt;
  word.text.remove_suffix(1);
  return type_of(word);
}

bool is_function(const TokenCursor& cursor) {
  const Token& word = cursor.current();
  if (word.kind != TokenKind::kName) return false;
  if (word.text == "void" || fiber_type_of(word)) return true;
  return type_of(word) && cursor.peek().kind == TokenKind::kName && cursor.peek(2).is("(");
}

void parse_function(TokenCursor& cursor, Program& program) {
  const Token word = cursor.advance();
  auto function = std::make_unique<Function>();
  if (const std::optional<Type> type = type_of(word)) {
    function->result = ResultKind::kCommon;
    function->type = *type;
  } else if (const std::optional<Type> fiber_type = fiber_type_of(word)) {
    function->result = ResultKind::kFiber;
    function->type = *fiber_type;
  }
  const Token name = cursor.expect_name("the name of a function");
  function->name = std::string(name.text);
  function->position = name.position;
  cursor.expect("(");
  if (!cursor.accept(")")) {
    do {
      function->parameters.push_back(parse_parameter(cursor));
    } while (cursor.accept(","));
    cursor.expect(")");
  }
  function->body = parse_block(cursor);
  program.functions.push_back(std::move(function));
}

void parse_item(TokenCursor& cursor, Program& program) {
  const Token& token = cursor.current();
  if (token.is_word("const") || token.is_word("param")) return parse_constant(cursor, program);
  if (token.is_word("output")) return parse_output(cursor, program);
  if (token.is_word("check") && cursor.peek().is("{")) {
    cursor.advance();
    program.checks.push_back(parse_block(cursor));
    return;
  }
  if (is_function(cursor)) return parse_function(cursor, program);
  if (token.is("}")) {
    const Token brace = cursor.advance();
    cursor.fail(brace.position, "unmatched '}'");
  }
  program.statements.push_back(parse_statement(cursor));
}

}  // namespace

Program parse(std::string_view text, Diagnostics& diagnostics) {
  Program program;
  program.map = diagnostics.map();
  program.file_name = program.map.main_file();
  TokenCursor cursor(lex(text, diagnostics), diagnostics);
  while (!cursor.at_end()) {
    try {
      parse_item(cursor, program);
    } catch (const SyntaxFailure&) {
      cursor.recover();
    }
  }
  return program;
}

}  // namespace raddle::e
