#include "base/csv.h"

#include <fmt/format.h>

namespace raddle {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i != 0) line += ',';
    line += csv_field(fields[i]);
  }
  return line + "\n";
}

std::string csv_number(double value) { return fmt::format("{}", value); }

}  // namespace raddle
