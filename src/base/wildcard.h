// Names by pattern: `*` stands for any run of characters, everything else for itself.
#pragma once

#include <string_view>

namespace raddle {

constexpr bool matches_wildcard(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return matches_wildcard(pattern.substr(1), text) ||
           (!text.empty() && matches_wildcard(pattern, text.substr(1)));
  }
  return !text.empty() && pattern.front() == text.front() &&
         matches_wildcard(pattern.substr(1), text.substr(1));
}

}  // namespace raddle
