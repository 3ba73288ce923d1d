#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program_family.h"
#include "lang/tpa/isa_reference.h"

namespace raddle::cli {

namespace {

const ProgramFamily& family_with_assembly(const std::string& program) {
  const FoundProgram found = find_program(program);
  if (found.family != nullptr && found.family->assemble != nullptr) return *found.family;
  std::vector<std::string> endings;
  for (const ProgramFamily& family : program_families()) {
    if (family.assemble != nullptr)
      endings.insert(endings.end(), family.endings.begin(), family.endings.end());
  }
  throw Error("this program has no assembly", program,
              fmt::format("files that have end in {}", fmt::join(endings, ", ")));
}

void deliver(const std::string& text, const std::string& file) {
  if (file.empty()) {
    print(text);
  } else {
    write_file_atomically(file, text);
  }
}

}  // namespace

int asm_command(const AsmOptions& options) {
  if (options.reference) {
    deliver(tpa::isa_reference(), options.output);
    return 0;
  }
  const ProgramFamily& family = family_with_assembly(options.program);
  deliver(family.assemble(find_program(options.program).path, options), options.output);
  return 0;
}

int disasm_command(const AsmOptions& options) {
  const ProgramFamily& family = family_with_assembly(options.program);
  if (!options.arguments.empty()) throw Error("an assembled program takes no arguments here");
  deliver(family.disassemble(find_program(options.program).path), options.output);
  return 0;
}

}  // namespace raddle::cli
