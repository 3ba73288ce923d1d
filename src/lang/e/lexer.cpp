#include "lang/e/lexer.h"

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <string>

namespace raddle::e {
namespace {

// Longest first, so that the first that fits is the one meant.
constexpr std::array<std::string_view, 49> kSymbols = {
    ">>>=", ">>>", "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=",   "*=",  "/=",  "%=",  "&=", "|=", "^=", "++", "--", "$$", "#",  "$",  "(",
    ")",    "[",   "]",   "{",   "}",  ",",  ";",  ":",  "?",  "+",  "-",  "*",  "/",
    "%",    "&",   "|",   "^",   "~",  "!",  "<",  ">",  "=",  "."};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (skip_blanks()) lex_token();
    tokens_.push_back({TokenKind::kEnd, {}, position(0), 0, {}});
    return std::move(tokens_);
  }

 private:
  char at(std::size_t offset) const {
    return index_ + offset < text_.size() ? text_[index_ + offset] : '\0';
  }
  bool done() const { return index_ >= text_.size(); }
  Position position(std::size_t length) const {
    return {line_, static_cast<std::uint32_t>(index_ - line_start_ + 1),
            static_cast<std::uint32_t>(length == 0 ? 1 : length)};
  }

  void step() {
    if (text_[index_] == '\n') {
      ++line_;
      line_start_ = index_ + 1;
    }
    ++index_;
  }

  // False at the end of the text.
  bool skip_blanks() {
    while (!done()) {
      if (std::isspace(static_cast<unsigned char>(at(0))) != 0) {
        step();
      } else if (at(0) == '/' && at(1) == '/') {
        while (!done() && at(0) != '\n') step();
      } else if (at(0) == '/' && at(1) == '*') {
        skip_block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_block_comment() {
    const Position begin = position(2);
    step();
    step();
    while (!done() && !(at(0) == '*' && at(1) == '/')) step();
    if (done()) {
      diagnostics_.error(begin, "unterminated comment", "end it with */");
      return;
    }
    step();
    step();
  }

  void push(TokenKind kind, std::size_t length, std::int64_t value = 0) {
    tokens_.push_back({kind, text_.substr(index_, length), position(length), value, {}});
    index_ += length;
  }

  void lex_token() {
    const char c = at(0);
    // A technique's name may begin with a digit: prefix.3MP.
    const bool after_dot = !tokens_.empty() && tokens_.back().is(".");
    if (is_name_start(c) || (after_dot && is_digit(c))) return lex_name();
    if (is_digit(c)) return lex_number();
    if (c == '"') return lex_string();
    if (c == '\'') return lex_character();
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(index_, symbol.size()) == symbol) {
        return push(TokenKind::kSymbol, symbol.size());
      }
    }
    diagnostics_.error(position(1), "this character is not part of e");
    // The rest of a multi-byte character belongs to the same complaint.
    do {
      step();
    } while (!done() && (static_cast<unsigned char>(at(0)) & 0xc0) == 0x80);
  }

  void lex_name() {
    std::size_t length = 1;
    while (is_name_part(at(length))) ++length;
    if (at(length) == '$') ++length;
    push(TokenKind::kName, length);
  }

  // How long a decimal number with a point or an exponent is; 0: there is none.
  std::size_t float_length() const {
    std::size_t length = 0;
    const auto skip_digits = [&] {
      while (is_digit(at(length)) || (at(length) == '_' && is_digit(at(length + 1)))) ++length;
    };
    skip_digits();
    const bool has_point = at(length) == '.' && is_digit(at(length + 1));
    if (has_point) {
      ++length;
      skip_digits();
    }
    const bool has_letter = at(length) == 'e' || at(length) == 'E';
    const std::size_t sign = at(length + 1) == '-' || at(length + 1) == '+' ? 1 : 0;
    const bool has_exponent = has_letter && is_digit(at(length + 1 + sign));
    if (has_exponent) {
      length += 2 + sign;
      skip_digits();
    }
    return has_point || has_exponent ? length : 0;
  }

  void lex_float(std::size_t length) {
    std::string digits(text_.substr(index_, length));
    std::erase(digits, '_');
    const bool is_single = at(length) == 'f' && !is_name_part(at(length + 1));
    if (is_single) ++length;
    if (is_name_part(at(length))) {
      while (is_name_part(at(length))) ++length;
      diagnostics_.error(position(length), "malformed number");
    }
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (is_single) {
      float single = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), single);
      value = static_cast<double>(single);
    }
    const Type type = is_single ? Type::kFloat : Type::kDouble;
    push(TokenKind::kNumber, length, word_of(type, value));
    tokens_.back().type = type;
  }

  void lex_number() {
    if (const std::size_t length = float_length(); length != 0) return lex_float(length);
    const bool hexadecimal = at(0) == '0' && (at(1) == 'x' || at(1) == 'X');
    const bool binary = at(0) == '0' && (at(1) == 'b' || at(1) == 'B');
    const std::uint64_t base = hexadecimal ? 16 : binary ? 2 : 10;
    std::size_t length = hexadecimal || binary ? 2 : 0;
    std::uint64_t value = 0;
    bool too_large = false;
    bool malformed = false;
    std::size_t digits = 0;
    for (; is_name_part(at(length)); ++length) {
      const char c = at(length);
      if (c == '_' && digits > 0) continue;  // 1_000_000
      const std::uint64_t digit = digit_of(c);
      if (digit >= base) {
        malformed = true;
        continue;
      }
      ++digits;
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / base) too_large = true;
      value = value * base + digit;
    }
    if (malformed || digits == 0) {
      diagnostics_.error(position(length), "malformed number");
    } else if (too_large) {
      diagnostics_.error(position(length), "the number does not fit into 64 bits",
                         "the largest is 0xffffffffffffffff, which is -1");
    }
    push(TokenKind::kNumber, length, static_cast<std::int64_t>(value));
  }

  static std::uint64_t digit_of(char c) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t digit = kDigits.find(lower);
    return digit == std::string_view::npos ? 99 : digit;
  }

  void lex_string() {
    std::size_t length = 1;
    while (at(length) != '"' && at(length) != '\n' && at(length) != '\0') ++length;
    if (at(length) != '"') {
      diagnostics_.error(position(length), "unterminated string", "end it with \"");
      tokens_.push_back(
          {TokenKind::kString, text_.substr(index_ + 1, length - 1), position(length), 0, {}});
      index_ += length;
      return;
    }
    tokens_.push_back(
        {TokenKind::kString, text_.substr(index_ + 1, length - 1), position(length + 1), 0, {}});
    index_ += length + 1;
  }

  void lex_character() {
    if (at(1) != '\0' && at(1) != '\n' && at(1) != '\\' && at(2) == '\'') {
      return push(TokenKind::kNumber, 3, static_cast<unsigned char>(at(1)));
    }
    diagnostics_.error(position(1), "expected one character between quotes");
    step();
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t index_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view text, Diagnostics& diagnostics) {
  return Lexer(text, diagnostics).run();
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kString) return "\"" + std::string(token.text) + "\"";
  return in_quotes(token.text);
}

}  // namespace raddle::e
