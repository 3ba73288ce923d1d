// The grammar of the command line: for each command its options, their help, and what is called
// once it was chosen. How words are parsed and what becomes of faults is in app.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace raddle::cli {

struct Command {
  CLI::App* parser;
  std::function<int()> run;  // the exit status; throws UsageError where an argument is missing
};

// `program_arguments` is what followed `--`; it is read when a command runs. Where several commands
// were chosen (`machines show`), the first in the list is the one to run.
std::vector<Command> declare_commands(CLI::App& app,
                                      const std::vector<std::string>& program_arguments);

}  // namespace raddle::cli
