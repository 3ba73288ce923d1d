#include "lang/e/token_cursor.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace raddle::e {

std::optional<Type> type_of(const Token& word) {
  for (const Type type : {Type::kInt, Type::kFloat, Type::kDouble}) {
    if (word.is_word(name_of(type))) return type;
  }
  return std::nullopt;
}

namespace {

constexpr std::array<std::string_view, 18> kStatementWords = {
    "int", "if",    "for",   "while", "do",     "return", "break", "continue", "split",
    "par", "const", "param", "void",  "output", "check",  "multi", "prefix",   "assert"};

}  // namespace

const Token& TokenCursor::peek(std::size_t distance) const {
  return tokens_[std::min(index_ + distance, tokens_.size() - 1)];
}

Token TokenCursor::advance() {
  const Token token = current();
  if (!at_end()) ++index_;
  return token;
}

bool TokenCursor::accept(std::string_view symbol) {
  if (!current().is(symbol)) return false;
  advance();
  return true;
}

bool TokenCursor::accept_word(std::string_view word) {
  if (!current().is_word(word)) return false;
  advance();
  return true;
}

void TokenCursor::expect(std::string_view symbol) {
  if (accept(symbol)) return;
  if (symbol == ";" && index_ > 0) {
    const Token& before = tokens_[index_ - 1];
    Position end = before.position;
    end.column += end.length;
    end.length = 1;
    fail(end, fmt::format("expected ';' here, found {}", describe(current())),
         "statements and declarations end with ';'");
  }
  fail_expected(in_quotes(symbol));
}

Token TokenCursor::expect_name(std::string_view what) {
  if (current().kind != TokenKind::kName) fail_expected(what);
  return advance();
}

std::string TokenCursor::expect_string(std::string_view what) {
  if (current().kind != TokenKind::kString) fail_expected(what);
  return std::string(advance().text);
}

void TokenCursor::fail(Position position, std::string message, std::string hint) {
  diagnostics_.error(position, std::move(message), std::move(hint));
  throw SyntaxFailure{};
}

void TokenCursor::fail_expected(std::string_view what, std::string hint) {
  fail(current().position, fmt::format("expected {}, found {}", what, describe(current())),
       std::move(hint));
}

void TokenCursor::recover() {
  // A failure that consumed nothing would come back for ever.
  if (index_ == last_recovery_) advance();
  last_recovery_ = index_;
  int depth = 0;
  while (!at_end()) {
    const Token& token = current();
    if (depth == 0) {
      if (accept(";")) return;
      if (token.is("}")) return;
      const bool begins = token.kind == TokenKind::kName &&
                          std::find(kStatementWords.begin(), kStatementWords.end(), token.text) !=
                              kStatementWords.end();
      if (begins) return;
    }
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
    advance();
    // A block that was skipped ends the construct that it belonged to.
    if (depth == 0 && tokens_[index_ - 1].is("}")) return;
  }
}

TokenCursor::Nesting::Nesting(TokenCursor& cursor) : cursor_(cursor) {
  if (++cursor_.depth_ > kMaximumDepth) {
    --cursor_.depth_;
    cursor_.fail(cursor_.current().position,
                 fmt::format("nested more than {} levels deep", kMaximumDepth));
  }
}

}  // namespace raddle::e
