#include "report/text/text_wrap.h"

#include <algorithm>

#include "base/text_table.h"

namespace raddle::report {

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    start = end + 1;
    std::string& line = lines.back();
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (line.empty() || display_width(longer) <= columns) {
      line = longer;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string wrap_text(std::string_view text, std::size_t indent) {
  std::string result;
  for (const std::string& line : wrapped_lines(text, kScreenColumns - indent))
    result += (result.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  return result;
}

}  // namespace raddle::report
