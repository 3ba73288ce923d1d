#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/console.h"
#include "base/exit_status.h"
#include "cli/commands.h"
#include "driver/driver.h"

namespace raddle::cli {

namespace {

// Those that mean something for the graphs of a fabric alone, which is what -m asks for.
constexpr std::array kOfFabrics = {"--set", "--placed", "--block", "--piece"};

void note_ignored_options(const driver::FoundProgram& program, const GraphOptions& options) {
  const auto given = [&](const std::string& option) {
    return std::ranges::count(options.given, option) != 0;
  };
  const std::vector<std::string>& honoured = program.driver->family().draw_options;
  for (const std::string option : {"--kernel", "--set", "--placed", "--block", "--piece"}) {
    if (!given(option)) continue;
    if (std::ranges::count(honoured, option) == 0) {
      print_error(
          fmt::format("raddle: note: the graph of {} does not depend on {}; it has no effect\n",
                      program.asked, option));
    } else if (options.machine.empty() && std::ranges::count(kOfFabrics, option) != 0) {
      print_error(fmt::format("raddle: note: without -m {} has no effect\n", option));
    }
  }
}

}  // namespace

int graph_command(const GraphOptions& options) {
  const driver::FoundProgram program = driver::find_program(options.program);
  const std::optional<std::string> drawing = program.driver->draw(program, options);
  if (!drawing) return kUserFault;
  note_ignored_options(program, options);
  print(*drawing);
  return 0;
}

}  // namespace raddle::cli
