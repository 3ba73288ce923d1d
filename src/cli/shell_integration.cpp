// `raddle completion` and `raddle man`: what an installed command brings along for shells and man.
#include <fmt/format.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/nearest_name.h"
#include "base/usage_error.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "driver/driver.h"
#include "experiment/paper.h"
#include "machine/machine.h"

namespace raddle::cli {

int completion_command(const GrammarCommand& grammar, const std::string& shell) {
  CompletionValues values;
  for (const machine::MachineName& machine : machine::machine_names())
    values.machines.push_back(machine.name);
  values.programs = driver::bundled_programs();
  values.papers = experiment::paper_names();
  print(completion_script(grammar, values, shell));
  return 0;
}

int man_command(const GrammarCommand& grammar, const ManOptions& options) {
  if (!options.output_folder.empty()) {
    const std::filesystem::path folder = options.output_folder;
    std::filesystem::create_directories(folder);
    write_file_atomically(folder / "raddle.1", man_page(grammar, "raddle"));
    for (const GrammarCommand& command : grammar.commands)
      write_file_atomically(folder / fmt::format("raddle-{}.1", command.name),
                            man_page(command, "raddle " + command.name));
    return 0;
  }
  if (options.command.empty()) {
    print(man_page(grammar, "raddle"));
    return 0;
  }
  std::vector<std::string> known;
  for (const GrammarCommand& command : grammar.commands) {
    if (command.name == options.command) {
      print(man_page(command, "raddle " + command.name));
      return 0;
    }
    known.push_back(command.name);
  }
  throw UsageError(fmt::format("unknown command '{}'", options.command), {},
                   suggestion(options.command, known));
}

}  // namespace raddle::cli
