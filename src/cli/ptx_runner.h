// Runs one kernel of a .ptx file, which needs no compiler and no host program: arguments, grid and
// block come from the command line.
#pragma once

#include <string>

#include "cli/program_runner.h"

namespace raddle::cli {

// Throws Error for a bad file, kernel or argument; faults of the kernel are in the result.
ProgramRun run_ptx(const std::string& path, const RunOptions& options, const ProgramOutput& output,
                   const std::string& result_file);

}  // namespace raddle::cli
