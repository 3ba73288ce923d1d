#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/output.h"
#include "machine/machine.h"
#include "report/text_wrap.h"

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
  machine::ParameterTable parameters = machine::load_parameters(machine);
  for (const std::string& assignment : assignments) parameters.set(assignment);
  print(parameters.to_toml());
  return 0;
}

}  // namespace raddle::cli
