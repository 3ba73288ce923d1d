// Tokens of the IR's text form, and the two things that both of its directions must agree on: how
// names are quoted and how immediates are written. Newlines are tokens, because they end
// instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/type.h"

namespace raddle::kernel {

enum class TokenKind : std::uint8_t { kWord, kNumber, kString, kPunctuation, kNewline, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;        // words and numbers as written, strings without quotes and escapes
  std::uint32_t line = 1;  // counted from 1
  std::uint32_t column = 1;
  std::size_t begin = 0;  // place in the text, to see whether two tokens touch
  std::size_t end = 0;
};

// The last token is always kEnd. Throws Error for a character or string that is none of the above.
std::vector<Token> tokenize(std::string_view text, const std::string& file_name);

// The token as an error message names it.
std::string describe(const Token& token);

// The name as it is written: plain where it is a word, else in quotes.
std::string quote_name(std::string_view name);
std::string quote_string(std::string_view text);

// An immediate of the given type: signed decimals, floating decimals where they are exact,
// hexadecimal where neither says it better. `parse_immediate` gives the same bits back, or nothing
// if the text is not a number of that type.
std::string format_immediate(std::uint64_t bits, Type type);
std::optional<std::uint64_t> parse_immediate(std::string_view number, bool negative, Type type);

}  // namespace raddle::kernel
