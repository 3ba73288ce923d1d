// Compiles CUDA source that a program holds in memory, as NVRTC does: to PTX, with headers in
// memory beside it, and with the symbol names of kernels and variables that the program asks for
// as expressions.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace raddle::cuda {

struct MemorySource {
  std::string name;  // for messages
  std::string text;
};

struct RuntimeProgram {
  MemorySource source;
  std::vector<MemorySource> headers;     // by the names that it includes them by
  std::vector<std::string> expressions;  // whose symbol names are wanted: "ns::kernel<int>"
};

struct RuntimeOutcome {
  bool good_options = true;
  bool good = false;  // compiled
  std::string log;
  std::string ptx;
  std::map<std::string, std::string> names;  // symbols by expression
};

// Options are nvcc's, and those that NVRTC has of its own. Throws Error where there is no compiler.
RuntimeOutcome compile_at_run_time(const RuntimeProgram& program,
                                   const std::vector<std::string>& options);

}  // namespace raddle::cuda
