// nvcc's command line: `raddle cc` takes the flags that Makefiles and build scripts give to nvcc,
// so that it can stand in its place. What has no meaning on a simulated device is taken and does
// nothing; what cannot be done is an error that says why; what nobody knows is an error that names
// the nearest flag.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lang/cuda/compile_request.h"

namespace raddle::cuda {

// `arguments` without the program's name. Throws Error.
CompileRequest parse_nvcc_arguments(std::span<const std::string> arguments);

// The CUDA toolkit whose interface Raddle has.
inline constexpr const char* kToolkitVersion = "12.3.0";

// What `nvcc --version` prints; build scripts read the release from it.
std::string nvcc_version_text();

// The flags by group, for `raddle cc --help`.
std::string nvcc_flags_help();

}  // namespace raddle::cuda
