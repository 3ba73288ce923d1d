#include "lang/cg/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace raddle::cg {
namespace {

constexpr int kDeepest = 200;

}  // namespace

Parser::Parser(std::span<const Token> tokens, Program& program, Diagnostics& diagnostics,
               bool is_library)
    : tokens_(tokens),
      program_(program),
      diagnostics_(diagnostics),
      checker_(program, diagnostics),
      is_library_(is_library) {}

const Token& Parser::token(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

Token Parser::advance() {
  Token before = token();
  if (position_ + 1 < tokens_.size()) ++position_;
  return before;
}

bool Parser::accept(std::string_view punctuation) {
  if (!token().is(punctuation)) return false;
  advance();
  return true;
}

bool Parser::accept_name(std::string_view name) {
  if (!token().is_name(name)) return false;
  advance();
  return true;
}

Token Parser::expect(std::string_view punctuation) {
  if (token().is(punctuation)) return advance();
  // A missing ';' or ')' is best shown after what stands before it.
  Place place = token().place;
  if (position_ > 0 && (punctuation == ";" || punctuation == ")")) {
    place = tokens_[position_ - 1].place;
    place.column += place.length;
    place.length = 1;
  }
  fail(place, fmt::format("expected '{}' before {}", punctuation, describe(token())));
}

Token Parser::expect_name(std::string_view what) {
  if (token().kind == TokenKind::kName) return advance();
  fail(token().place, fmt::format("expected {} before {}", what, describe(token())));
}

void Parser::fail(Place place, std::string message, std::string hint) {
  diagnostics_.error(place, std::move(message), std::move(hint));
  throw Failure{};
}

void Parser::enter() {
  if (++depth_ > kDeepest) {
    --depth_;
    fail(token().place, "the program is nested too deeply");
  }
}

// After the next ';' or before the '}' that ends this block.
void Parser::skip_statement() {
  int depth = 0;
  while (token().kind != TokenKind::kEnd) {
    if (depth == 0 && token().is("}")) return;
    if (token().is("{")) ++depth;
    if (token().is("}") && --depth == 0) {
      advance();
      return;
    }
    if (advance().is(";") && depth == 0) return;
  }
}

void Parser::skip_declaration() {
  int depth = 0;
  while (token().kind != TokenKind::kEnd) {
    const Token skipped = advance();
    if (skipped.is("{")) ++depth;
    if (skipped.is("}") && --depth <= 0) {
      accept(";");
      return;
    }
    if (skipped.is(";") && depth == 0) return;
  }
}

void Parser::parse() {
  while (token().kind != TokenKind::kEnd && !diagnostics_.is_full()) {
    const std::size_t start = position_;
    try {
      declaration();
    } catch (const Failure&) {
      scopes_.resize(1);
      depth_ = 0;
      loops_ = 0;
      current_ = nullptr;
      if (position_ == start) advance();
      skip_declaration();
    }
  }
}

std::optional<std::uint32_t> Parser::find_variable(std::string_view name) const {
  for (const Scope& scope : std::views::reverse(scopes_)) {
    if (const auto found = scope.find(name); found != scope.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace raddle::cg
