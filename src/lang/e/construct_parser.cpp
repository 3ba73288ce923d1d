#include "lang/e/construct_parser.h"

#include <array>
#include <string>
#include <utility>

#include "lang/e/expression_parser.h"

namespace raddle::e {
namespace {

struct ConstructRow {
  std::string_view word;
  StatementKind kind;
  bool fast;
};

constexpr std::array<ConstructRow, 6> kConstructs = {{
    {"multi", StatementKind::kMulti, false},
    {"fast_multi", StatementKind::kMulti, true},
    {"prefix", StatementKind::kPrefix, false},
    {"fast_prefix", StatementKind::kPrefix, true},
    {"compact", StatementKind::kCompact, false},
    {"partition", StatementKind::kPartition, false},
}};

const ConstructRow* find_construct(std::string_view word) {
  for (const ConstructRow& row : kConstructs) {
    if (row.word == word) return &row;
  }
  return nullptr;
}

// A target is written with or without '&': both mean the place (Figures 19 and 21).
ExprPtr parse_place(TokenCursor& cursor) {
  cursor.accept("&");
  return parse_location(cursor);
}

ExprPtr parse_place_and_comma(TokenCursor& cursor) {
  ExprPtr place = parse_place(cursor);
  cursor.expect(",");
  return place;
}

// .O2, .inclusive, or both.
void parse_suffixes(TokenCursor& cursor, Statement& statement) {
  while (cursor.accept(".")) {
    const Token name = cursor.expect_name("a technique");
    if (name.text == "inclusive" && statement.kind == StatementKind::kPrefix) {
      statement.inclusive = true;
    } else {
      statement.technique = std::string(name.text);
      statement.technique_position = name.position;
    }
  }
}

}  // namespace

bool is_construct(const TokenCursor& cursor) {
  return cursor.current().kind == TokenKind::kName &&
         find_construct(cursor.current().text) != nullptr &&
         (cursor.peek().is("(") || cursor.peek().is("."));
}

StatementPtr parse_construct(TokenCursor& cursor) {
  const Token word = cursor.advance();
  const ConstructRow& row = *find_construct(word.text);
  auto statement = std::make_unique<Statement>();
  statement->kind = row.kind;
  statement->fast = row.fast;
  statement->position = word.position;
  parse_suffixes(cursor, *statement);
  cursor.expect("(");
  if (row.kind == StatementKind::kCompact || row.kind == StatementKind::kPartition) {
    const int places = row.kind == StatementKind::kCompact ? 2 : 4;
    for (int i = 0; i < places; ++i) statement->operands.push_back(parse_place_and_comma(cursor));
    statement->target = parse_expression(cursor);  // the condition
    cursor.expect(",");
  } else {
    if (row.kind == StatementKind::kPrefix) {
      statement->operands.push_back(parse_place_and_comma(cursor));
    }
    statement->multi = parse_multi_operator(cursor);
    cursor.expect(",");
    statement->target = parse_place_and_comma(cursor);
  }
  statement->value = parse_expression(cursor);
  cursor.expect(")");
  cursor.expect(";");
  return statement;
}

}  // namespace raddle::e
