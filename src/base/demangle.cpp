#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace raddle {

std::string demangled(const std::string& name) {
  // Without the prefix, names of one letter are taken for types: "f" for float.
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

std::string function_name(const std::string& demangled) {
  // The parameters open at the first parenthesis outside template brackets; "(anonymous namespace)"
  // is not a parameter list.
  int depth = 0;
  std::size_t end = demangled.size();
  std::size_t start = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == ' ') start = i + 1;
    if (c != '(') continue;
    if (demangled.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
      continue;
    }
    end = i;
    break;
  }
  return start < end ? demangled.substr(start, end - start) : demangled;
}

}  // namespace raddle
