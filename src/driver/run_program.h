// Runs a program on a machine and brings the result back: what is the same for every family.
#pragma once

#include <string>

#include "driver/driver.h"

namespace raddle::driver {

// The result is also written to the output folder and, with `store`, added to its store of runs.
// Throws Error for an invalid machine, parameter, folder or program.
ProgramRun run_program(const FoundProgram& program, const RunRequest& request,
                       const ProgramOutput& output, bool store);

}  // namespace raddle::driver
