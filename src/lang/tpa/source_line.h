// One line of a .tpa file as tokens with their columns, and the faults that are found in it: each
// with its column, a caret below the source line, and a hint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::tpa {

enum class TokenKind : std::uint8_t { kEnd, kWord, kNumber, kText, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;   // of kText: what stands between the quotes
  std::size_t column = 0;  // from 1

  bool is(std::string_view punctuation) const {
    return kind == TokenKind::kPunctuation && text == punctuation;
  }
};

// Thrown while a line is read; the assembler turns it into an Error with file and line.
struct LineFault {
  std::size_t column = 0;
  std::string message;
  std::string hint;
};

// Words, numbers, quoted texts and punctuation up to a comment (//). The text must outlive the
// tokens.
std::vector<Token> tokens_of(std::string_view line);

// A place in the tokens of one line.
class TokenCursor {
 public:
  explicit TokenCursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool accept(std::string_view punctuation);
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  void expect(std::string_view punctuation);
  const Token& expect_word(std::string_view what);

  [[noreturn]] static void fail(const Token& token, std::string message, std::string hint = {});

 private:
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
};

// "'ADD0'", or "the end of the line".
std::string shown(const Token& token);

// The source line and a caret below the column.
std::string caret_text(std::string_view line, std::size_t column);

}  // namespace raddle::tpa
