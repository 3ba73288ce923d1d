// Cg text as tokens. A token is a view into text that somebody else keeps alive, with its line and
// column; comments and line continuations are skipped. Malformed text is a diagnostic, never a
// stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lang/cg/syntax/diagnostic.h"

namespace raddle::cg {

enum class TokenKind : std::uint8_t { kEnd, kName, kInteger, kReal, kString, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  Place place;
  double number = 0;
  bool starts_line = false;    // the first token of its line
  bool follows_blank = false;  // a macro with parameters has none between its name and '('
  bool is_painted = false;     // a macro's own name inside its expansion: not expanded again

  bool is(std::string_view punctuation) const {
    return kind == TokenKind::kPunctuation && text == punctuation;
  }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics, std::uint32_t file = 0)
      : text_(text), diagnostics_(diagnostics), file_(file) {}

  Token next();
  // After a '#': if the directive has this name, the rest of its line, which is over then.
  std::optional<std::string_view> take_directive(std::string_view name);

 private:
  bool skip_blanks();
  void skip_block_comment();
  char at(std::size_t offset) const {
    return position_ + offset < text_.size() ? text_[position_ + offset] : '\0';
  }
  void step();
  Token make(TokenKind kind, std::size_t length);
  Token lex_number();
  Token lex_string();
  Token lex_punctuation();

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::uint32_t file_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  bool at_line_start_ = true;
  bool after_blank_ = false;
};

// How a token is shown in a message.
std::string describe(const Token& token);

}  // namespace raddle::cg
