#include "kernel/text/lexer.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "base/error.h"

namespace raddle::kernel {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file_name) : text_(text), file_name_(file_name) {}

  std::vector<Token> run() {
    while (skip_blanks(), position_ < text_.size()) next();
    tokens_.push_back(start(TokenKind::kEnd));
    tokens_.back().end = position_;
    return std::move(tokens_);
  }

 private:
  char at(std::size_t index) const { return index < text_.size() ? text_[index] : '\0'; }

  Token start(TokenKind kind) const {
    Token token;
    token.kind = kind;
    token.line = line_;
    token.column = static_cast<std::uint32_t>(position_ - line_begin_ + 1);
    token.begin = position_;
    return token;
  }

  void skip_blanks() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++position_;
      } else if (c == '/' && at(position_ + 1) == '/') {
        while (position_ < text_.size() && text_[position_] != '\n') ++position_;
      } else {
        return;
      }
    }
  }

  void next() {
    const char c = text_[position_];
    if (c == '\n') {
      Token token = start(TokenKind::kNewline);
      ++position_;
      ++line_;
      line_begin_ = position_;
      finish(std::move(token));
    } else if (is_letter(c)) {
      read_while(TokenKind::kWord, is_word_character);
    } else if (is_digit(c)) {
      read_number();
    } else if (c == '"') {
      read_string();
    } else if (std::string_view("%@!#[](){}=,:+-<>").find(c) != std::string_view::npos) {
      Token token = start(TokenKind::kPunctuation);
      token.text = c;
      ++position_;
      finish(std::move(token));
    } else {
      const auto code = static_cast<unsigned char>(c);
      fail(start(TokenKind::kEnd), code >= 0x20 && code < 0x7f
                                       ? fmt::format("unexpected character '{}'", c)
                                       : fmt::format("unexpected byte 0x{:02x}", code));
    }
  }

  void finish(Token token) {
    token.end = position_;
    tokens_.push_back(std::move(token));
  }

  void read_while(TokenKind kind, bool (*belongs)(char)) {
    Token token = start(kind);
    while (position_ < text_.size() && belongs(text_[position_])) token.text += text_[position_++];
    finish(std::move(token));
  }

  void read_number() {
    Token token = start(TokenKind::kNumber);
    const bool hexadecimal =
        text_[position_] == '0' && (at(position_ + 1) == 'x' || at(position_ + 1) == 'X');
    while (position_ < text_.size()) {
      const char c = text_[position_];
      const bool exponent_sign = !hexadecimal && (c == '+' || c == '-') && !token.text.empty() &&
                                 (token.text.back() == 'e' || token.text.back() == 'E');
      if (!is_word_character(c) && !exponent_sign) break;
      token.text += c;
      ++position_;
    }
    finish(std::move(token));
  }

  void read_string() {
    Token token = start(TokenKind::kString);
    ++position_;
    while (true) {
      if (position_ >= text_.size() || text_[position_] == '\n')
        fail(token, "string without closing quote");
      const char c = text_[position_++];
      if (c == '"') break;
      token.text += c == '\\' ? read_escape(token) : c;
    }
    finish(std::move(token));
  }

  char read_escape(const Token& token) {
    const char c = at(position_++);
    if (c == '"' || c == '\\') return c;
    if (c == 'x') {
      const int high = hex_value(at(position_));
      const int low = hex_value(at(position_ + 1));
      if (high >= 0 && low >= 0) {
        position_ += 2;
        return static_cast<char>(high * 16 + low);
      }
    }
    fail(token, "unknown escape in string; known: \\\", \\\\ and \\xHH");
  }

  [[noreturn]] void fail(const Token& token, std::string what) const {
    throw Error(std::move(what), fmt::format("{}:{}:{}", file_name_, token.line, token.column));
  }

  std::string_view text_;
  const std::string& file_name_;
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
  std::vector<Token> tokens_;
};

// `text` has a sign if it is negative.
template <typename Float>
std::optional<Float> parse_float(std::string_view text) {
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_float_bits(std::string_view number, bool negative, Type type) {
  const std::string text = (negative ? "-" : "") + std::string(number);
  if (type == Type::kF32) {
    if (const auto value = parse_float<float>(text)) return std::bit_cast<std::uint32_t>(*value);
  } else if (type == Type::kF64) {
    if (const auto value = parse_float<double>(text)) return std::bit_cast<std::uint64_t>(*value);
  }
  return std::nullopt;
}

std::string format_float(std::uint64_t bits, Type type) {
  std::string text = type == Type::kF32
                         ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                         : fmt::format("{}", std::bit_cast<double>(bits));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

// Bits that a value of the type has; 64 where the type does not say.
int width_of(Type type) { return size_of(type) == 0 ? 64 : size_of(type) * 8; }

std::uint64_t mask_of(Type type) { return ~std::uint64_t{0} >> (64 - width_of(type)); }

// Beyond this, an integer without sign is easier to read in hexadecimal.
constexpr std::uint64_t kLargestDecimal = 1'000'000;

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& file_name) {
  return Lexer(text, file_name).run();
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd: return "the end of the file";
    case TokenKind::kNewline: return "the end of the line";
    case TokenKind::kString: return quote_string(token.text);
    default: return fmt::format("'{}'", token.text);
  }
}

std::string quote_name(std::string_view name) {
  bool plain = !name.empty() && is_letter(name[0]);
  for (const char c : name) plain = plain && is_word_character(c);
  return plain ? std::string(name) : quote_string(name);
}

std::string quote_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20 || code == 0x7f) {
      quoted += fmt::format("\\x{:02x}", code);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string format_immediate(std::uint64_t bits, Type type) {
  if ((bits & mask_of(type)) != bits) return fmt::format("{:#x}", bits);
  if (type == Type::kF32 || type == Type::kF64) {
    std::string text = format_float(bits, type);
    const bool negative = text[0] == '-';
    const std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
    const bool short_enough = text.size() <= 20 && is_digit(digits[0]);
    if (short_enough && parse_immediate(digits, negative, type) == bits) return text;
    return fmt::format("{:#x}", bits);
  }
  if (is_signed(type)) {
    const int shift = 64 - width_of(type);
    return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
  }
  return bits <= kLargestDecimal && !is_float(type) ? fmt::format("{}", bits)
                                                    : fmt::format("{:#x}", bits);
}

std::optional<std::uint64_t> parse_immediate(std::string_view number, bool negative, Type type) {
  const bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  const bool has_fraction = number.find_first_of(".eE") != std::string_view::npos;
  if (!hexadecimal && (has_fraction || type == Type::kF32 || type == Type::kF64)) {
    return parse_float_bits(number, negative, type);
  }
  if (hexadecimal) number.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return negative ? (0 - value) & mask_of(type) : value;
}

}  // namespace raddle::kernel
