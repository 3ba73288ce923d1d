#include "lang/cuda/ptx_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::cuda {

namespace {

// Calls `visit` with each line, without its newline.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool opens_kernel(std::string_view line) {
  return line.starts_with(".visible .entry ") || line.starts_with(".weak .entry ") ||
         line.starts_with(".entry ");
}

// Of ".visible .global .align 4 .b8 name[16] = {…};" the name.
std::string_view declared_name(std::string_view line) {
  line = line.substr(0, line.find_first_of("=;["));
  const std::size_t last = line.find_last_not_of(" \t");
  line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return line.substr(line.find_last_of(" \t") + 1);
}

}  // namespace

bool has_kernel(std::string_view ptx) {
  bool found = false;
  for_each_line(ptx, [&](std::string_view line) { found = found || opens_kernel(line); });
  return found;
}

std::string limit_registers(std::string_view ptx, int max_registers) {
  std::string text;
  bool in_header = false;
  for_each_line(ptx, [&](std::string_view line) {
    if (opens_kernel(line)) in_header = true;
    if (line.starts_with(".maxnreg")) in_header = false;
    if (in_header && line == "{") {
      text += fmt::format(".maxnreg {}\n", max_registers);
      in_header = false;
    }
    text += line;
    text += '\n';
  });
  return text;
}

std::vector<std::string> shared_variables(std::string_view ptx) {
  std::vector<std::string> names;
  for_each_line(ptx, [&](std::string_view line) {
    if (!line.starts_with(".visible .global ") && !line.starts_with(".visible .const ")) return;
    const std::string_view name = declared_name(line);
    // `static` variables are visible to the host's half of their own translation unit only.
    const bool is_private =
        name.starts_with("_ZL") || name.find("12_GLOBAL__N_1") != std::string_view::npos;
    if (!is_private) names.emplace_back(name);
  });
  return names;
}

}  // namespace raddle::cuda
