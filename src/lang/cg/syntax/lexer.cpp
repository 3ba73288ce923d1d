#include "lang/cg/syntax/lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "base/stop_token.h"

namespace raddle::cg {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

// Longest first.
constexpr std::array<std::string_view, 26> kLongPunctuation = {
    "<<=", ">>=", "...", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=",
    "*=",  "/=",  "%=",  "<<", ">>", "&=", "|=", "^=", "##", "::", "->", "/*", "*/"};
constexpr std::string_view kShortPunctuation = "+-*/%=<>!?:;,.()[]{}#&|^~";

}  // namespace

void Lexer::step() {
  if (text_[position_] == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
  ++position_;
}

void Lexer::skip_block_comment() {
  const Place start{line_, column_, 2, file_};
  step();
  step();
  while (position_ < text_.size()) {
    if (at(0) == '*' && at(1) == '/') {
      step();
      step();
      return;
    }
    step();
  }
  diagnostics_.error(start, "unterminated comment");
}

// Returns whether anything was skipped.
bool Lexer::skip_blanks() {
  const std::size_t before = position_;
  while (position_ < text_.size()) {
    const char c = at(0);
    if (c == '\n') {
      step();
      at_line_start_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      step();
    } else if (c == '\\' && (at(1) == '\n' || (at(1) == '\r' && at(2) == '\n'))) {
      step();
      if (at(0) == '\r') step();
      step();
    } else if (c == '/' && at(1) == '/') {
      while (position_ < text_.size() && at(0) != '\n') step();
    } else if (c == '/' && at(1) == '*') {
      skip_block_comment();
    } else {
      break;
    }
  }
  return position_ != before;
}

Token Lexer::make(TokenKind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.text = text_.substr(position_, length);
  token.place = {line_, column_, static_cast<std::uint32_t>(length), file_};
  token.starts_line = at_line_start_;
  token.follows_blank = after_blank_;
  at_line_start_ = false;
  position_ += length;
  column_ += static_cast<std::uint32_t>(length);
  return token;
}

Token Lexer::next() {
  throw_if_stopped("compiling Cg");
  after_blank_ = skip_blanks();
  if (position_ >= text_.size()) {
    at_line_start_ = true;
    return make(TokenKind::kEnd, 0);
  }
  const char c = at(0);
  if (is_name_start(c)) {
    std::size_t length = 1;
    while (is_name_part(at(length))) ++length;
    return make(TokenKind::kName, length);
  }
  if (is_digit(c) || (c == '.' && is_digit(at(1)))) return lex_number();
  if (c == '"') return lex_string();
  return lex_punctuation();
}

std::optional<std::string_view> Lexer::take_directive(std::string_view name) {
  std::string_view line = text_.substr(position_, text_.find('\n', position_) - position_);
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || !line.substr(start).starts_with(name)) return std::nullopt;
  const std::string_view words = line.substr(start + name.size());
  if (!words.empty() && is_name_part(words.front())) return std::nullopt;
  for (std::size_t i = 0; i < line.size(); ++i) step();
  return words;
}

Token Lexer::lex_string() {
  std::size_t length = 1;
  while (position_ + length < text_.size() && at(length) != '"' && at(length) != '\n') ++length;
  if (at(length) == '"') {
    ++length;
  } else {
    diagnostics_.error({line_, column_, 1, file_}, "unterminated string");
  }
  return make(TokenKind::kString, length);
}

Token Lexer::lex_number() {
  std::size_t length = 0;
  const auto skip_digits = [&] {
    while (is_digit(at(length))) ++length;
  };
  if (at(0) == '0' && (at(1) == 'x' || at(1) == 'X')) {
    length = 2;
    while (is_name_part(at(length))) ++length;
    Token token = make(TokenKind::kInteger, length);
    std::uint32_t value = 0;
    const char* end = token.text.data() + token.text.size();
    const auto [stop, status] = std::from_chars(token.text.data() + 2, end, value, 16);
    if (status != std::errc{} || stop != end)
      diagnostics_.error(token.place, fmt::format("malformed number '{}'", token.text));
    token.number = value;
    return token;
  }
  bool is_real = false;
  skip_digits();
  if (at(length) == '.') {
    is_real = true;
    ++length;
    skip_digits();
  }
  if (at(length) == 'e' || at(length) == 'E') {
    const std::size_t sign = at(length + 1) == '+' || at(length + 1) == '-' ? 1 : 0;
    if (is_digit(at(length + 1 + sign))) {
      is_real = true;
      length += 1 + sign;
      skip_digits();
    }
  }
  const std::size_t digits = length;
  // Suffixes of Cg: float, half, fixed.
  if (at(length) == 'f' || at(length) == 'h' || at(length) == 'x' || at(length) == 'F') {
    is_real = true;
    ++length;
  } else if (!is_real && (at(length) == 'u' || at(length) == 'U')) {
    ++length;
  }
  const bool is_malformed = is_name_part(at(length));
  while (is_name_part(at(length))) ++length;
  Token token = make(is_real ? TokenKind::kReal : TokenKind::kInteger, length);
  const auto [stop, status] =
      std::from_chars(token.text.begin(), token.text.begin() + digits, token.number);
  if (is_malformed || status != std::errc{} || stop != token.text.data() + digits)
    diagnostics_.error(token.place, fmt::format("malformed number '{}'", token.text));
  if (token.number > static_cast<double>(std::numeric_limits<float>::max())) {
    diagnostics_.error(token.place, fmt::format("'{}' is too large for a float", token.text));
    token.number = 0;
  }
  return token;
}

Token Lexer::lex_punctuation() {
  const std::string_view rest = text_.substr(position_);
  for (const std::string_view candidate : kLongPunctuation) {
    if (rest.starts_with(candidate)) return make(TokenKind::kPunctuation, candidate.size());
  }
  if (kShortPunctuation.find(rest.front()) != std::string_view::npos)
    return make(TokenKind::kPunctuation, 1);
  const auto code = static_cast<unsigned char>(rest.front());
  const Place place{line_, column_, 1, file_};
  diagnostics_.error(place, code >= 0x20 && code < 0x7f
                                ? fmt::format("unexpected character '{}'", rest.front())
                                : fmt::format("unexpected character with code {:#04x}", code));
  step();
  return next();
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  return fmt::format("'{}'", token.text);
}

}  // namespace raddle::cg
