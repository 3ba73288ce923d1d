#include "lang/ctm/line_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/error.h"

namespace raddle::ctm {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

LineCursor::LineCursor(std::string_view file, std::uint32_t line, std::string_view text)
    : file_(file), line_(line), text_(text), end_(std::min(text.find("//"), text.size())) {}

void LineCursor::skip_blanks() {
  while (position_ < end_ && is_blank(text_[position_])) ++position_;
}

bool LineCursor::at_end() {
  skip_blanks();
  return position_ >= end_;
}

char LineCursor::peek() {
  skip_blanks();
  return peek_here();
}

bool LineCursor::accept(char wanted) {
  const std::size_t start = position_;
  skip_blanks();
  if (accept_here(wanted)) return true;
  position_ = start;  // so that messages point at what was read, not at blanks after it
  return false;
}

bool LineCursor::accept_here(char wanted) {
  if (wanted == '\0' || peek_here() != wanted) return false;
  ++position_;
  return true;
}

void LineCursor::expect(char wanted, std::string_view where) {
  if (!accept(wanted)) fail_here(fmt::format("expected '{}' {}", wanted, where));
}

std::string_view LineCursor::word() {
  skip_blanks();
  return word_here();
}

std::string_view LineCursor::word_here() {
  const std::size_t start = position_;
  while (position_ < end_ && is_word(text_[position_])) ++position_;
  return text_.substr(start, position_ - start);
}

std::string_view LineCursor::name() {
  skip_blanks();
  const std::size_t start = position_;
  const auto is_part = [](char c) { return is_word(c) || c == '.' || c == '[' || c == ']'; };
  while (position_ < end_ && is_part(text_[position_])) ++position_;
  return text_.substr(start, position_ - start);
}

bool LineCursor::accept_word(std::string_view wanted) {
  skip_blanks();
  const std::size_t start = position_;
  if (word_here() == wanted) return true;
  position_ = start;
  return false;
}

std::uint32_t LineCursor::number(std::string_view what, std::uint32_t largest) {
  skip_blanks();
  const std::size_t start = position_;
  const std::string_view text = word_here();
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = is_hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (digits.empty() || error != std::errc{} || stop != digits.data() + digits.size()) {
    fail(start, fmt::format("expected {}", what));
  }
  if (value > largest) fail(start, fmt::format("{} is at most {}", what, largest));
  return static_cast<std::uint32_t>(value);
}

std::string_view LineCursor::argument() {
  skip_blanks();
  const std::size_t start = position_;
  while (position_ < end_ && (text_[position_] == ',' || !is_blank(text_[position_]))) ++position_;
  return text_.substr(start, position_ - start);
}

bool LineCursor::at_number() {
  const char c = peek();
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

float LineCursor::real(std::string_view what) {
  skip_blanks();
  const std::size_t start = position_;
  const bool negative = accept_here('-');
  float value = 0;
  const char* first = text_.data() + position_;
  const auto [stop, error] = std::from_chars(first, text_.data() + end_, value);
  if (error != std::errc{} || stop == first || *first == '-') {
    word_here();
    fail(start, fmt::format("expected {}", what));
  }
  position_ += static_cast<std::size_t>(stop - first);
  if (text_[position_ - 1] == '.') --position_;  // a swizzle's, not the number's
  return negative ? -value : value;
}

void LineCursor::fail(std::size_t start, std::string what, std::string hint) const {
  const std::size_t length = std::max<std::size_t>(1, position_ > start ? position_ - start : 1);
  // Tabs stay tabs, so that the caret stands below its place whatever their width.
  std::string indent(text_.substr(0, std::min(start, text_.size())));
  for (char& c : indent) c = c == '\t' ? '\t' : ' ';
  throw Error(fmt::format("{}\n    {}\n    {}^{}", what, text_, indent,
                          std::string(std::min<std::size_t>(length - 1, 60), '~')),
              fmt::format("{}:{}:{}", file_, line_, start + 1), std::move(hint));
}

void LineCursor::fail_here(std::string what, std::string hint) {
  skip_blanks();
  const std::size_t start = position_;
  LineCursor ahead = *this;
  if (ahead.word_here().empty() && ahead.position_ < ahead.end_) ++ahead.position_;
  ahead.fail(start, std::move(what), std::move(hint));
}

}  // namespace raddle::ctm
