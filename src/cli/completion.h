// What shells complete: commands, options and the values that are known, written from the grammar
// of the command line.
#pragma once

#include <string>
#include <vector>

#include "cli/grammar.h"

namespace raddle::cli {

// Names that stand for a value, by what the help calls it: "MACHINE" is one of machines.
struct CompletionValues {
  std::vector<std::string> machines;
  std::vector<std::string> programs;  // besides files
  std::vector<std::string> papers;
};

// `shell` is one of completion_shells(); throws Error for any other.
std::string completion_script(const GrammarCommand& root, const CompletionValues& values,
                              const std::string& shell);
std::vector<std::string> completion_shells();

}  // namespace raddle::cli
