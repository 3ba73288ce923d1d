// PTX text as tokens. The lexer is a cursor over text that somebody else keeps alive; a token is a
// view into that text, so nothing is copied, and one look at the current token decides everything
// the parsers need. Malformed text (an unended comment, a number that is none) throws LexicalError
// with its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raddle::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,
  kWord,     // add, %r1, $L__BB0_2, _Z3foov
  kDotWord,  // .global, .v4, .L2::128B: with the dot
  kInteger,
  kSingle,  // 0f3F800000: bits holds 32 bits
  kDouble,  // 0d3FF0000000000000 or 1.5: bits holds 64 bits
  kString,  // text is what stands between the quotes
  kPunctuation,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::uint32_t line = 1;
  std::uint64_t bits = 0;

  bool is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text[0] == punctuation;
  }
  bool is_word() const { return kind == TokenKind::kWord; }
  bool is_dot_word() const { return kind == TokenKind::kDotWord; }
  bool is_dot_word(std::string_view with_dot) const { return is_dot_word() && text == with_dot; }
  bool is_number() const {
    return kind == TokenKind::kInteger || kind == TokenKind::kSingle || kind == TokenKind::kDouble;
  }
};

struct LexicalError {
  std::uint32_t line = 0;
  std::string message;
};

class Lexer {
 public:
  // There is no current token before the first advance().
  explicit Lexer(std::string_view text) : rest_(text) {}

  const Token& current() const { return current_; }
  // Moves on and returns the token that was current.
  Token advance();
  // The token after the current one.
  Token peek() const;

 private:
  void skip_blanks();
  void skip_line();
  void skip_block_comment();
  Token next();
  Token make(TokenKind kind, std::size_t length);
  Token lex_word();
  Token lex_dot_word();
  Token lex_string();
  Token lex_number();
  Token lex_float_bits(std::size_t hex_digits, TokenKind kind);
  Token lex_decimal_float(std::size_t length);
  Token lex_integer(std::size_t prefix, unsigned base);

  std::string_view rest_;
  std::uint32_t line_ = 1;
  Token current_;
};

// How a token is shown in a message: its text in quotes, or "the end of the file".
std::string describe(const Token& token);

}  // namespace raddle::ptx
