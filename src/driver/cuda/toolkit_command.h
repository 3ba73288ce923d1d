// `raddle toolkit PREFIX`: a folder with the shape of a CUDA toolkit, for build systems that look
// for one (`make CUDA_PATH=PREFIX`, CMake's CUDA language, find_package(CUDAToolkit)). It holds
// links and small text files that lead to this Raddle, and nothing of a toolkit.
#pragma once

#include <span>
#include <string>

namespace raddle::driver::cuda {

int toolkit_command(std::span<const std::string> arguments);

}  // namespace raddle::driver::cuda
