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

// `static` symbols are visible to the host's half of their own translation unit only.
bool is_private(std::string_view name) {
  return name.starts_with("_ZL") || name.find("12_GLOBAL__N_1") != std::string_view::npos;
}

// Of "(.param .b32 func_retval0) name(" or "name(" the name.
std::string_view function_name(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.find(')') + 1, rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest.substr(0, rest.find_first_of(" (;\t"));
}

// Carried out by the machine (kernel/program.cpp), defined in no file.
bool is_system_function(std::string_view name) {
  return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free";
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
    if (!is_private(name)) names.emplace_back(name);
  });
  return names;
}

DeviceSymbols device_symbols(std::string_view ptx) {
  DeviceSymbols symbols;
  for_each_line(ptx, [&](std::string_view line) {
    const auto add = [&](std::string_view start, std::vector<std::string>& list) {
      if (!line.starts_with(start)) return;
      const std::string_view name = function_name(line.substr(start.size()));
      if (!is_private(name) && !is_system_function(name)) list.emplace_back(name);
    };
    add(".visible .func ", symbols.functions);
    add(".weak .func ", symbols.weak_functions);
    add(".extern .func ", symbols.wanted_functions);
    if (line.starts_with(".extern .global ") || line.starts_with(".extern .const "))
      symbols.wanted_variables.emplace_back(declared_name(line));
  });
  return symbols;
}

}  // namespace raddle::cuda
