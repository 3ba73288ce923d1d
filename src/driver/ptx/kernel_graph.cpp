#include "driver/ptx/kernel_graph.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest_name.h"
#include "driver/ptx/fabric_graph.h"
#include "kernel/dot.h"
#include "kernel/text_form.h"
#include "lang/ptx/reader.h"

namespace raddle::driver::ptx {

namespace {

const kernel::Function& find_function(const kernel::Module& module, const std::string& wanted,
                                      const std::string& program) {
  std::vector<std::string> names;
  for (const kernel::Function& function : module.functions) {
    if (function.name == wanted) return function;
    if (!function.is_declaration) names.push_back(function.name);
  }
  // "scale" for _Z5scalePfi: the name as the source has it, when only one function has it.
  const kernel::Function* only = nullptr;
  int matches = 0;
  for (const kernel::Function& function : module.functions) {
    const std::string mangled = fmt::format("_Z{}{}", wanted.size(), wanted);
    if (function.is_declaration || !function.name.starts_with(mangled)) continue;
    only = &function;
    ++matches;
  }
  if (matches == 1) return *only;
  std::string hint = suggestion(wanted, names);
  if (hint.empty() && !names.empty()) {
    hint = "its kernels:";
    for (const std::string& name : names) hint += " " + name;
  }
  throw Error(fmt::format("unknown kernel '{}'", wanted), program, hint);
}

// The one kernel of a module, where none is named.
const kernel::Function& only_kernel(const kernel::Module& module, const std::string& program) {
  const kernel::Function* only = nullptr;
  std::string names;
  for (const kernel::Function& function : module.functions) {
    if (!function.is_entry || function.is_declaration) continue;
    names += " " + function.name;
    only = only == nullptr ? &function : only;
  }
  if (only == nullptr) throw Error("the program has no kernel", program);
  if (names != " " + only->name)
    throw Error("the program has several kernels", program, "choose one with --kernel:" + names);
  return *only;
}

}  // namespace

std::string draw_kernels(const std::string& text, const std::string& program,
                         const DrawRequest& request) {
  const kernel::Module module = raddle::ptx::read_ptx(text, program);
  if (!request.machine.empty()) {
    return fabric_graph(request, module,
                        request.kernel.empty() ? only_kernel(module, program)
                                               : find_function(module, request.kernel, program));
  }
  const bool dot = request.format == "dot";
  if (request.kernel.empty()) return dot ? kernel::print_dot(module) : kernel::print(module);
  const kernel::Function& function = find_function(module, request.kernel, program);
  return dot ? kernel::print_dot(module, function) : kernel::print(module, function);
}

}  // namespace raddle::driver::ptx
