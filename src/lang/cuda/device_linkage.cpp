#include "lang/cuda/device_linkage.h"

#include <fmt/format.h>

namespace raddle::cuda {

std::string device_linkage(const DeviceSymbols& symbols) {
  std::string text;
  // Not beyond what is linked together: a shared library has its own device symbols.
  const auto define = [&](const std::string& name, const char* binding) {
    text += fmt::format("\t.{1}\t{0}.device\n\t.hidden\t{0}.device\n{0}.device:\n", name, binding);
  };
  text += "\t.pushsection\t.rodata\n";
  for (const std::string& name : symbols.functions) define(name, "globl");
  for (const std::string& name : symbols.weak_functions) define(name, "weak");
  // References from a section that is not loaded.
  text += "\t.popsection\n\t.pushsection\t.raddle_wanted,\"\",@progbits\n";
  for (const std::string& name : symbols.wanted_functions)
    text += fmt::format("\t.quad\t{}.device\n", name);
  for (const std::string& name : symbols.wanted_variables)
    text += fmt::format("\t.quad\t{}\n", name);
  return text + "\t.popsection\n";
}

}  // namespace raddle::cuda
