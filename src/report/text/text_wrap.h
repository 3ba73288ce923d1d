// Long sentences on a narrow screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::report {

inline constexpr std::size_t kScreenColumns = 100;

// Breaks at blanks so that no line is wider than this. A word that is too long stays whole.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t columns);

// Breaks at blanks so that no line is longer than the screen; every line but the first is indented.
// The first is taken to start at column `indent` already. A word that is too long stays whole.
std::string wrap_text(std::string_view text, std::size_t indent);

}  // namespace raddle::report
