// The command line's grammar as plain data, for what is written from it: man pages and the
// completions of shells. `--help` is printed by CLI11 from the same declarations.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace raddle::cli {

struct GrammarOption {
  std::vector<std::string> names;  // "-m", "--machine"; none: an argument without a name
  std::string value;               // "MACHINE"; empty: it takes none
  std::string sentence;
  std::string group;  // the heading it is listed under
};

struct GrammarCommand {
  std::string name;      // "run"
  std::string sentence;  // what it does
  std::vector<GrammarOption> options;
  std::vector<GrammarCommand> commands;
  std::string footer;  // what its help ends with
};

GrammarCommand grammar_of(const CLI::App& app);

}  // namespace raddle::cli
