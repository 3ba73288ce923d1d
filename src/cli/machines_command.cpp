#include <fmt/format.h>

#include <algorithm>

#include "base/console.h"
#include "base/exit_status.h"
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

int machines_check_command(const std::vector<std::string>& machines) {
  std::size_t faults = 0;
  for (const std::string& name : machines) {
    const machine::ParameterTable table = machine::load_parameters(name);
    machine::check_parameters(table);
    const std::vector<machine::Parameter> found = table.without_source();
    for (const machine::Parameter& parameter : found)
      print(fmt::format("{}: '{}' has no source: write after its value  # where it comes from\n",
                        table.place_of(parameter.key), parameter.key));
    faults += found.size();
    if (found.empty())
      print(fmt::format("{}: {} parameters, each with its source\n", table.name(),
                        table.all().size()));
  }
  return faults == 0 ? 0 : kUserFault;
}

}  // namespace raddle::cli
