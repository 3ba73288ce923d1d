// Lines of source files that the user has, for messages that quote them. A file that is not there
// any more is no reason to fail: nothing is quoted then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace raddle {

struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;  // from 1; 0: not known

  bool known() const { return line != 0; }
  // "matmul.cu:31", or empty.
  std::string text() const { return known() ? file + ":" + std::to_string(line) : std::string(); }
};

// Without its end of line.
std::optional<std::string> source_line(const SourcePlace& place);

}  // namespace raddle
