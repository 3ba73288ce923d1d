// Runs an executable whose device is simulated, as a child: its settings in the environment, the
// runtime's notices over a socket, signals passed on, and the result that it wrote.
#pragma once

#include <string>

#include "driver/request.h"

namespace raddle::driver::cuda {

ProgramRun run_executable(const std::string& executable, const RunJob& job);

}  // namespace raddle::driver::cuda
