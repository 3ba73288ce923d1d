#include "lang/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace raddle::ptx {
namespace {

enum CharClass : std::uint8_t { kBlank = 1, kWordStart = 2, kWordPart = 4, kDigit = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (char c : {' ', '\t', '\r', '\n', '\f', '\v'})
    classes[static_cast<unsigned char>(c)] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = kWordStart | kWordPart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = kWordStart | kWordPart;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = kDigit | kWordPart;
  classes['_'] = kWordStart | kWordPart;
  classes['$'] = kWordStart | kWordPart;
  classes['%'] = kWordStart;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool has_class(char c, CharClass wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

// The value of a digit, or 99.
unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 99;
}

std::string printable(char c) {
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20 && code < 0x7f) return std::string("'") + c + "'";
  constexpr std::string_view kHex = "0123456789abcdef";
  return std::string("with code 0x") + kHex[code >> 4] + kHex[code & 15];
}

}  // namespace

Token Lexer::advance() {
  Token before = current_;
  current_ = next();
  return before;
}

Token Lexer::peek() const {
  Lexer copy = *this;
  copy.advance();
  return copy.current_;
}

void Lexer::skip_line() {
  while (!rest_.empty() && rest_.front() != '\n') rest_.remove_prefix(1);
}

void Lexer::skip_block_comment() {
  const std::uint32_t start = line_;
  rest_.remove_prefix(2);
  while (!rest_.empty()) {
    if (rest_.starts_with("*/")) {
      rest_.remove_prefix(2);
      return;
    }
    if (rest_.front() == '\n') ++line_;
    rest_.remove_prefix(1);
  }
  throw LexicalError{start, "unterminated comment"};
}

void Lexer::skip_blanks() {
  while (!rest_.empty()) {
    const char c = rest_.front();
    if (c == '\n') {
      ++line_;
      rest_.remove_prefix(1);
    } else if (has_class(c, kBlank)) {
      rest_.remove_prefix(1);
    } else if (c == '/' && rest_.starts_with("//")) {
      skip_line();
    } else if (c == '/' && rest_.starts_with("/*")) {
      skip_block_comment();
    } else if (c == '#' || rest_.starts_with("@@")) {
      skip_line();  // what a preprocessor left; nvcc's old "@@DWARF" lines
    } else if (c == '\0') {
      rest_.remove_prefix(1);  // a text kept as a C string, with its end
    } else {
      return;
    }
  }
}

Token Lexer::make(TokenKind kind, std::size_t length) {
  Token token{kind, rest_.substr(0, length), line_, 0};
  rest_.remove_prefix(length);
  return token;
}

Token Lexer::next() {
  skip_blanks();
  if (rest_.empty()) return Token{TokenKind::kEnd, {}, line_, 0};
  const char c = rest_.front();
  if (has_class(c, kWordStart)) return lex_word();
  if (c == '.') return lex_dot_word();
  if (has_class(c, kDigit)) return lex_number();
  if (c == '"') return lex_string();
  constexpr std::string_view kPunctuation = "{}[]()<>,;:|!~+-*/=@&^?";
  if (kPunctuation.find(c) != std::string_view::npos) return make(TokenKind::kPunctuation, 1);
  throw LexicalError{line_, "unexpected character " + printable(c)};
}

Token Lexer::lex_word() {
  std::size_t length = 1;
  while (length < rest_.size() && has_class(rest_[length], kWordPart)) ++length;
  return make(TokenKind::kWord, length);
}

Token Lexer::lex_dot_word() {
  std::size_t length = 1;
  for (;;) {
    while (length < rest_.size() && has_class(rest_[length], kWordPart)) ++length;
    const bool scoped = length + 2 < rest_.size() && rest_[length] == ':' &&
                        rest_[length + 1] == ':' && has_class(rest_[length + 2], kWordPart);
    if (!scoped) break;
    length += 2;
  }
  if (length == 1) throw LexicalError{line_, "unexpected character '.'"};
  return make(TokenKind::kDotWord, length);
}

Token Lexer::lex_string() {
  for (std::size_t end = 1; end < rest_.size() && rest_[end] != '\n'; ++end) {
    if (rest_[end] == '\\') {
      ++end;
      continue;
    }
    if (rest_[end] != '"') continue;
    Token token{TokenKind::kString, rest_.substr(1, end - 1), line_, 0};
    rest_.remove_prefix(end + 1);
    return token;
  }
  throw LexicalError{line_, "unterminated string"};
}

Token Lexer::lex_float_bits(std::size_t hex_digits, TokenKind kind) {
  std::uint64_t bits = 0;
  const std::size_t length = 2 + hex_digits;
  for (std::size_t i = 2; i < length; ++i) {
    const unsigned value = i < rest_.size() ? digit_value(rest_[i]) : 99;
    if (value > 15) {
      throw LexicalError{line_, "a floating-point number that begins with '" +
                                    std::string(rest_.substr(0, 2)) + "' has " +
                                    std::to_string(hex_digits) + " hexadecimal digits"};
    }
    bits = bits << 4 | value;
  }
  Token token = make(kind, length);
  token.bits = bits;
  if (!rest_.empty() && has_class(rest_.front(), kWordPart)) {
    throw LexicalError{line_, "malformed number '" + std::string(token.text) + rest_.front() + "'"};
  }
  return token;
}

Token Lexer::lex_decimal_float(std::size_t length) {
  double value = 0;
  const std::string_view text = rest_.substr(0, length);
  const auto [stop, status] = std::from_chars(text.begin(), text.end(), value);
  if (status != std::errc{} || stop != text.end()) {
    throw LexicalError{line_, "malformed number '" + std::string(text) + "'"};
  }
  Token token = make(TokenKind::kDouble, length);
  token.bits = std::bit_cast<std::uint64_t>(value);
  return token;
}

Token Lexer::lex_integer(std::size_t prefix, unsigned base) {
  std::size_t length = prefix;
  std::uint64_t value = 0;
  while (length < rest_.size() && has_class(rest_[length], kWordPart)) {
    const unsigned digit = digit_value(rest_[length]);
    if (digit >= base) break;
    if (value > (~std::uint64_t{0} - digit) / base) {
      throw LexicalError{line_, "an integer of more than 64 bits"};
    }
    value = value * base + digit;
    ++length;
  }
  const bool has_digits = length > prefix;
  if (length < rest_.size() && rest_[length] == 'U') ++length;
  const bool ended = length >= rest_.size() || !has_class(rest_[length], kWordPart);
  if (!has_digits || !ended) {
    while (length < rest_.size() && has_class(rest_[length], kWordPart)) ++length;
    throw LexicalError{line_, "malformed number '" + std::string(rest_.substr(0, length)) + "'"};
  }
  Token token = make(TokenKind::kInteger, length);
  token.bits = value;
  return token;
}

Token Lexer::lex_number() {
  const char second = rest_.size() > 1 ? rest_[1] : '\0';
  if (rest_.front() == '0') {
    if (second == 'f' || second == 'F') return lex_float_bits(8, TokenKind::kSingle);
    if (second == 'd' || second == 'D') return lex_float_bits(16, TokenKind::kDouble);
    if (second == 'x' || second == 'X') return lex_integer(2, 16);
    if (second == 'b' || second == 'B') return lex_integer(2, 2);
  }
  std::size_t length = 1;
  auto skip_digits = [&] {
    while (length < rest_.size() && has_class(rest_[length], kDigit)) ++length;
  };
  skip_digits();
  bool is_decimal_float = false;
  if (length + 1 < rest_.size() && rest_[length] == '.' && has_class(rest_[length + 1], kDigit)) {
    is_decimal_float = true;
    ++length;
    skip_digits();
  }
  if (length < rest_.size() && (rest_[length] == 'e' || rest_[length] == 'E')) {
    is_decimal_float = true;
    ++length;
    if (length < rest_.size() && (rest_[length] == '+' || rest_[length] == '-')) ++length;
    skip_digits();
  }
  if (is_decimal_float) return lex_decimal_float(length);
  return rest_.front() == '0' && length > 1 ? lex_integer(1, 8) : lex_integer(0, 10);
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kString) return "the string \"" + std::string(token.text) + "\"";
  return "'" + std::string(token.text) + "'";
}

}  // namespace raddle::ptx
