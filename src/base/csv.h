// Comma-separated values as RFC 4180 quotes them: a field with a comma, a quote or a line break
// stands in quotes, and a quote within it is doubled. Lines end in a newline alone, which every
// reader takes and Unix tools prefer.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace raddle {

std::string csv_field(std::string_view text);

// One line, with its newline.
std::string csv_line(std::span<const std::string> fields);

// The shortest digits that give the same number back.
std::string csv_number(double value);

}  // namespace raddle
