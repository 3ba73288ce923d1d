// Kernels of a .cu file as PTX, compiled with the command line every program is compiled with.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/resource_paths.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/nvcc_arguments.h"

namespace raddle::bench {

// `source`: from the root of the repository on.
inline std::string compiled(const std::string& source) {
  const auto output = std::filesystem::temp_directory_path() /
                      ("raddle_bench_" + std::filesystem::path(source).stem().string() + ".ptx");
  const std::vector<std::string> arguments{"-ptx", (resource_paths().root / source).string(), "-o",
                                           output.string()};
  const cuda::CompileRequest request = cuda::parse_nvcc_arguments(arguments);
  const cuda::CompileOutcome outcome = cuda::compile(request, cuda::find_toolchain());
  if (outcome.status != 0) throw Error(outcome.diagnostics);
  std::ostringstream read;
  read << std::ifstream(output).rdbuf();
  std::filesystem::remove(output);
  return read.str();
}

}  // namespace raddle::bench
