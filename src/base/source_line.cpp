#include "base/source_line.h"

#include <fstream>

namespace raddle {

std::optional<std::string> source_line(const SourcePlace& place) {
  if (!place.known()) return std::nullopt;
  std::ifstream file(place.file);
  std::string text;
  for (std::uint32_t line = 0; line < place.line; ++line) {
    if (!std::getline(file, text)) return std::nullopt;
  }
  return text;
}

}  // namespace raddle
