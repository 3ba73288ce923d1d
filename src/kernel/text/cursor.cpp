#include "kernel/text/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace raddle::kernel {

std::string NameKey::text() const {
  std::string result = name.empty() && number != kNoNumber ? "" : quote_name(name);
  if (number != kNoNumber) result += fmt::format("#{}", number);
  return result;
}

const Token& TextCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

const Token& TextCursor::take() {
  const Token& token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool TextCursor::at(char punctuation, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::kPunctuation && token.text[0] == punctuation;
}

bool TextCursor::at_word(std::string_view word, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::kWord && token.text == word;
}

bool TextCursor::at_line_end() const {
  return peek().kind == TokenKind::kNewline || peek().kind == TokenKind::kEnd;
}

bool TextCursor::accept(char punctuation) {
  if (!at(punctuation)) return false;
  take();
  return true;
}

bool TextCursor::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  take();
  return true;
}

void TextCursor::skip_newlines() {
  while (peek().kind == TokenKind::kNewline) take();
}

void TextCursor::expect(char punctuation) {
  if (!accept(punctuation)) fail_expected(fmt::format("'{}'", punctuation));
}

void TextCursor::expect_word(std::string_view word) {
  if (!accept_word(word)) fail_expected(fmt::format("'{}'", word));
}

void TextCursor::expect_line_end() {
  if (!at_line_end()) fail_expected("the end of the line");
  take();
}

std::string TextCursor::expect_word_text(std::string_view what) {
  if (peek().kind != TokenKind::kWord) fail_expected(what);
  return take().text;
}

std::string TextCursor::expect_string(std::string_view what) {
  if (peek().kind != TokenKind::kString) fail_expected(what);
  return take().text;
}

std::uint64_t TextCursor::expect_integer(std::string_view what, std::uint64_t largest) {
  if (peek().kind != TokenKind::kNumber) fail_expected(what);
  const auto value = parse_immediate(peek().text, false, Type::kU64);
  if (!value) fail_expected(what);
  if (*value > largest) fail(fmt::format("{} must be at most {}", what, largest));
  take();
  return *value;
}

std::uint32_t TextCursor::expect_u32(std::string_view what) {
  return static_cast<std::uint32_t>(
      expect_integer(what, std::numeric_limits<std::uint32_t>::max()));
}

std::int64_t TextCursor::expect_signed(std::string_view what, std::int64_t least,
                                       std::int64_t largest) {
  const Token& first = peek();
  const bool negative = accept('-');
  const std::uint64_t magnitude = expect_integer(what);
  const std::uint64_t limit =
      negative ? 0 - static_cast<std::uint64_t>(least) : static_cast<std::uint64_t>(largest);
  if (magnitude > limit)
    fail_at(first, fmt::format("{} must be between {} and {}", what, least, largest));
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

std::int64_t TextCursor::read_offset() {
  if (!at('-') && !accept('+')) return 0;
  return expect_signed("an offset", std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max());
}

bool TextCursor::at_key(std::size_t ahead) const {
  const TokenKind kind = peek(ahead).kind;
  return kind == TokenKind::kWord || kind == TokenKind::kString || at('#', ahead);
}

NameKey TextCursor::expect_key(std::string_view what) {
  if (!at_key()) fail_expected(what);
  NameKey key;
  std::size_t end = peek().begin;
  if (!at('#')) {
    end = peek().end;
    key.name = take().text;
  }
  // The '#' belongs to the name only if it touches it.
  if (at('#') && peek().begin == end) {
    take();
    key.number = expect_integer("the number after '#'", std::numeric_limits<std::uint32_t>::max());
  }
  return key;
}

void TextCursor::fail_at(const Token& token, std::string what) const {
  throw Error(std::move(what), fmt::format("{}:{}:{}", file_name_, token.line, token.column));
}

void TextCursor::fail_expected(std::string_view what) const {
  fail(fmt::format("expected {} but found {}", what, describe(peek())));
}

}  // namespace raddle::kernel
