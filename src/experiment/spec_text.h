// A text of a sweep's spec and the line it stands on. {axis} in it stands for the value of an axis;
// "{{" and "}}" are braces.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::experiment {

struct SpecText {
  std::string text;
  unsigned line = 0;
};

// The names between { and }. Throws Error for an unmatched brace.
std::vector<std::string> placeholders_in(const SpecText& text, const std::string& file);

// The text with every {name} replaced; placeholders_in() has passed it, and every name has a value.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values);

// "FILE:LINE", for messages.
std::string spec_place(const std::string& file, unsigned line);

}  // namespace raddle::experiment
