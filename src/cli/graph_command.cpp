#include <fmt/format.h>

#include "base/console.h"
#include "base/exit_status.h"
#include "cli/commands.h"
#include "driver/driver.h"

namespace raddle::cli {

namespace {

// Options of a fabric's graph, which is what -m asks for.
void note_ignored_options(const GraphOptions& options) {
  if (!options.machine.empty()) return;
  const auto note = [](bool is_given, const char* option) {
    if (is_given) print_error(fmt::format("raddle: note: without -m {} has no effect\n", option));
  };
  note(!options.assignments.empty(), "--set");
  note(options.placed, "--placed");
  note(options.block != driver::DrawRequest().block, "--block");
  note(options.piece.has_value(), "--piece");
}

}  // namespace

int graph_command(const GraphOptions& options) {
  const driver::FoundProgram program = driver::find_program(options.program);
  const std::optional<std::string> drawing = program.driver->draw(program, options);
  if (!drawing) return kUserFault;
  note_ignored_options(options);
  print(*drawing);
  return 0;
}

}  // namespace raddle::cli
