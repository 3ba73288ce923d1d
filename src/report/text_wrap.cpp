#include "report/text_wrap.h"

namespace raddle::report {

std::string wrap_text(std::string_view text, std::size_t indent) {
  const std::size_t width = kScreenColumns - indent;
  std::string result;
  while (text.size() > width) {
    std::size_t blank = text.rfind(' ', width);
    if (blank == std::string_view::npos || blank == 0) blank = text.find(' ', width);
    if (blank == std::string_view::npos) break;
    result += text.substr(0, blank);
    result += '\n' + std::string(indent, ' ');
    text.remove_prefix(blank + 1);
  }
  result += text;
  return result;
}

}  // namespace raddle::report
