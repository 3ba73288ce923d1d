// Integer expressions of the assembler: numbers, parameters, addresses of symbols, line numbers of
// labels, and C's operators on them with C's precedence, on 64-bit words that wrap.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lang/tpa/source_line.h"

namespace raddle::tpa {

// What a name stands for; nothing: it is not known.
using NameValue = std::function<std::optional<std::int64_t>(std::string_view)>;
// A hint for a name that is not known.
using NameHint = std::function<std::string(std::string_view)>;

// Reads as much as belongs to the expression. Throws LineFault.
std::int64_t read_expression(TokenCursor& cursor, const NameValue& value, const NameHint& hint);

// 12, 0x1f or 0b101, without sign; nothing if the text is not such a number or beyond 64 bits.
std::optional<std::int64_t> number_of(std::string_view text);

}  // namespace raddle::tpa
