// Where the results of an output folder lie, so that no run overwrites the result of another:
//
//   FOLDER/matmul-fermi/n=512_core.warps=24-1a2b3c4d.json   one run: what was given and changed,
//   and
//                                                           a hash of all that makes it this run
//   FOLDER/matmul-fermi.json                                a link to the newest of them
//
// An equal run takes the place of the one before if it has the same figures. If it has others, as
// something changed that the name does not tell (a file that the program reads, its environment,
// Raddle itself), both stay and the second is called …-2.json. A run that was stopped has
// `-partial` in its name and so never replaces one that came to its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::experiment {

class ResultFiles {
 public:
  // The names of the program and of the machine are without folders and endings.
  ResultFiles(const std::filesystem::path& folder, const std::string& program,
              const std::string& machine);

  // Where a run writes its result before it has a name; other processes have other places.
  std::string pending() const;
  // Gives a result that is in pending() its name, and the newest name to it. Returns where it is.
  // `identity`: what tells this run from others and is not in the result, such as the program's
  // text.
  std::string keep(const RunResult& result, const std::vector<std::string>& identity) const;

 private:
  std::filesystem::path folder_;
  std::string name_;  // "matmul-fermi"
};

// Removes a result, its log, and the folder if that is empty. If it was the newest, the newest name
// goes to the one before, where there is one.
void remove_result_file(const std::filesystem::path& file);

}  // namespace raddle::experiment
