// `raddle cc`, also called nvcc: compiles CUDA programs into executables whose device is simulated.
#pragma once

#include <span>
#include <string>

namespace raddle::driver::cuda {

// Returns the exit status.
int cc_command(std::span<const std::string> arguments);

}  // namespace raddle::driver::cuda
