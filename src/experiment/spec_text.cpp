#include "experiment/spec_text.h"

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::experiment {

std::string spec_place(const std::string& file, unsigned line) {
  return fmt::format("{}:{}", file, line);
}

std::vector<std::string> placeholders_in(const SpecText& text, const std::string& file) {
  const auto fail = [&](const char* what, const char* hint) {
    throw Error(fmt::format("'{}' has {}", text.text, what), spec_place(file, text.line), hint);
  };
  std::vector<std::string> names;
  const std::string& all = text.text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != '{' && all[i] != '}') continue;
    if (i + 1 < all.size() && all[i + 1] == all[i]) {
      ++i;
      continue;
    }
    const std::size_t end = all.find('}', i);
    if (all[i] == '}') fail("a } without {", "a brace itself is written }}");
    if (end == std::string::npos) fail("a { without }", "a brace itself is written {{");
    names.push_back(all.substr(i + 1, end - i - 1));
    i = end;
  }
  return names;
}

std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_brace = text[i] == '{' || text[i] == '}';
    if (is_brace && i + 1 < text.size() && text[i + 1] == text[i]) {
      result += text[i++];
    } else if (text[i] == '{') {
      const std::size_t end = text.find('}', i);
      result += values.at(std::string(text.substr(i + 1, end - i - 1)));
      i = end;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace raddle::experiment
