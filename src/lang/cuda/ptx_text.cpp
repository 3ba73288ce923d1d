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

// The name in ".visible .global .align 4 .b8 name[16] = {…};".
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

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Without the suffixes __static__HASH and __intern__HASH of names; the hash has 16 digits.
std::string without_suffixes(std::string_view line) {
  constexpr std::size_t kDigits = 16;
  std::string text(line);
  for (const std::string_view mark : {"__static__", "__intern__"}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::string hash = text.substr(at + mark.size(), kDigits);
      if (hash.size() == kDigits && std::ranges::all_of(hash, is_hexadecimal))
        text.erase(at, mark.size() + kDigits);
    }
  }
  return text;
}

bool declares_variable(std::string_view line, std::string_view linkage) {
  return line.starts_with(fmt::format(".{} .global ", linkage)) ||
         line.starts_with(fmt::format(".{} .const ", linkage));
}

// The name in "(.param .b32 func_retval0) name(" or "name(".
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

std::string with_registered_names(std::string_view ptx, bool relocatable) {
  std::string text;
  for_each_line(ptx, [&](std::string_view line) {
    if (!relocatable && declares_variable(line, "weak")) {
      text += ".visible";
      line.remove_prefix(std::string_view(".weak").size());
    }
    text += without_suffixes(line);
    text += '\n';
  });
  return text;
}

SharedVariables shared_variables(std::string_view ptx) {
  SharedVariables shared;
  for_each_line(ptx, [&](std::string_view line) {
    const bool weak = declares_variable(line, "weak");
    if (!weak && !declares_variable(line, "visible")) return;
    const std::string_view name = declared_name(line);
    if (!is_private(name)) (weak ? shared.weak_variables : shared.variables).emplace_back(name);
  });
  return shared;
}

DeviceSymbols device_symbols(std::string_view ptx) {
  DeviceSymbols symbols;
  for_each_line(ptx, [&](std::string_view line) {
    const auto add = [&](std::string_view start, std::vector<std::string>& list) {
      if (!line.starts_with(start)) return;
      const std::string_view name = function_name(line.substr(start.size()));
      // A function that is used before its definition is declared first.
      const bool known = std::ranges::find(list, name) != list.end();
      if (!known && !is_private(name) && !is_system_function(name)) list.emplace_back(name);
    };
    add(".visible .func ", symbols.functions);
    add(".visible .entry ", symbols.functions);  // launched where it is declared alone
    add(".weak .func ", symbols.weak_functions);
    add(".weak .entry ", symbols.weak_functions);
    add(".extern .func ", symbols.wanted_functions);
    if (declares_variable(line, "extern") && !is_private(declared_name(line)))
      symbols.wanted_variables.emplace_back(declared_name(line));
  });
  return symbols;
}

}  // namespace raddle::cuda
