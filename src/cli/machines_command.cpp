#include <fmt/format.h>

#include <algorithm>

#include "base/console.h"
#include "cli/commands.h"
#include "machine/machine.h"
#include "report/text/text_wrap.h"

namespace raddle::cli {

int machines_command() {
  const std::vector<machine::MachineName> machines = machine::machine_names();
  std::size_t width = 0;
  for (const machine::MachineName& machine : machines)
    width = std::max(width, machine.name.size() + 2);
  for (const machine::MachineName& machine : machines) {
    print(
        fmt::format("{:<{}}{}\n", machine.name, width, report::wrap_text(machine.sentence, width)));
  }
  print("\nraddle machines show NAME prints a machine's parameters.\n");
  return 0;
}

int machines_show_command(const std::string& machine, const std::vector<std::string>& assignments) {
  print(machine::load_parameters(machine, assignments).to_toml());
  return 0;
}

}  // namespace raddle::cli
