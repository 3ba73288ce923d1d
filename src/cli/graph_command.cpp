#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest_name.h"
#include "cli/commands.h"
#include "cli/fabric_graph.h"
#include "cli/output.h"
#include "cli/program_runner.h"
#include "kernel/dot.h"
#include "kernel/text_form.h"
#include "lang/ptx/reader.h"

namespace raddle::cli {

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
    hint = "there are:";
    for (const std::string& name : names) hint += " " + name;
  }
  throw Error(fmt::format("there is no kernel '{}'", wanted), program, hint);
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
  if (only == nullptr) throw Error("there is no kernel", program);
  if (names != " " + only->name)
    throw Error("there are several kernels", program, "choose one with --kernel:" + names);
  return *only;
}

}  // namespace

int graph_command(const GraphOptions& options) {
  const std::optional<std::string> text = ptx_of_program(options.program, options.compile_flags);
  if (!text) return kUserFault;
  const kernel::Module module = ptx::read_ptx(*text, options.program);
  if (!options.machine.empty()) {
    print(fabric_graph(options, module,
                       options.kernel.empty()
                           ? only_kernel(module, options.program)
                           : find_function(module, options.kernel, options.program)));
    return 0;
  }
  const bool dot = options.format == "dot";
  if (options.kernel.empty()) {
    print(dot ? kernel::print_dot(module) : kernel::print(module));
    return 0;
  }
  const kernel::Function& function = find_function(module, options.kernel, options.program);
  print(dot ? kernel::print_dot(module, function) : kernel::print(module, function));
  return 0;
}

}  // namespace raddle::cli
