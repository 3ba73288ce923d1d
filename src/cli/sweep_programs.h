// The programs of a sweep, made ready before its first cell runs: each is found, compiled once and
// hashed, which gives every cell its key. A misspelt name stops the sweep here; a program that does
// not compile fails its own cells alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "experiment/sweep.h"

namespace raddle::cli {

struct ReadyCell {
  const driver::Driver* driver = nullptr;
  std::string key;
  std::string failure;      // why it cannot run, or empty
  std::string diagnostics;  // of the compiler, where it failed
};

// One for each cell. Throws Error for programs and inputs that are not there. Compiler output of
// programs that were compiled now goes to standard error; `starting` hears of each program.
std::vector<ReadyCell> prepare_cells(const std::vector<experiment::SweepCell>& cells,
                                     const std::string& output_folder,
                                     const std::function<void(const std::string&)>& starting);

}  // namespace raddle::cli
