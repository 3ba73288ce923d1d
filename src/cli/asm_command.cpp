#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/error.h"
#include "cli/commands.h"
#include "driver/driver.h"

namespace raddle::cli {

namespace {

driver::FoundProgram find_with_assembly(const std::string& program) {
  driver::FoundProgram found = driver::find_program(program);
  if (found.driver->family().has_assembly) return found;
  std::vector<std::string> endings;
  for (const driver::Driver* driver : driver::drivers()) {
    const driver::Family& family = driver->family();
    if (family.has_assembly)
      endings.insert(endings.end(), family.endings.begin(), family.endings.end());
  }
  throw Error("this kind of program has no assembly language", program,
              fmt::format("file extensions with an assembler: {}", fmt::join(endings, ", ")));
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
    std::string tables;
    for (const driver::Driver* driver : driver::drivers()) tables += driver->instruction_set();
    deliver(tables, options.output);
    return 0;
  }
  const driver::FoundProgram program = find_with_assembly(options.program);
  deliver(program.driver->assemble(program, options), options.output);
  return 0;
}

int disasm_command(const AsmOptions& options) {
  const driver::FoundProgram program = find_with_assembly(options.program);
  if (!options.arguments.empty()) throw Error("an assembled program takes no arguments here");
  deliver(program.driver->disassemble(program), options.output);
  return 0;
}

}  // namespace raddle::cli
