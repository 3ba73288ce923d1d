// e text as tokens. A name may end in '_' (shared memory) or '$' (one value per fiber), which is
// part of it; '$' alone is the fiber's number, '$$' its number in the flow that was split. Text
// that is not a token is reported and skipped, so that the parser always sees a sound sequence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/e/diagnostics.h"
#include "lang/e/operators.h"
#include "lang/e/position.h"

namespace raddle::e {

enum class TokenKind : std::uint8_t { kEnd, kName, kNumber, kString, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // of a string: what stands between the quotes
  Position position;
  std::int64_t value = 0;
  Type type = Type::kInt;  // of a number

  bool is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == TokenKind::kName && text == word; }
};

// The tokens of `text`, the last one kEnd. Views into `text`.
std::vector<Token> lex(std::string_view text, Diagnostics& diagnostics);

// How a token is shown in a message: its text in quotes, or "the end of the file".
std::string describe(const Token& token);

}  // namespace raddle::e
