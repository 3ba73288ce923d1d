// The CUDA headers, parsed once: three quarters of the time to compile a small program go into
// them. One file for each half and each set of flags is kept, and made again when a header or the
// compiler changed or the file is damaged. The build makes those of the usual flags.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/cuda/clang_commands.h"
#include "lang/cuda/compile_request.h"

namespace raddle::cuda {

enum class Side { kDevice, kHost };

struct PrecompiledHeader {
  std::string file;
  std::string dependencies;  // make rules of what is in it
};

// One for each side that is asked for; those that are missing are made side by side. Nothing where
// the program's own macros or include folders could change what the headers mean, where nothing can
// be kept, or where the headers cannot be compiled: then the ordinary way gives the message.
std::vector<std::optional<PrecompiledHeader>> precompiled_headers(const Toolchain& toolchain,
                                                                  const CompileRequest& request,
                                                                  bool needs_cxx20,
                                                                  std::span<const Side> sides);

}  // namespace raddle::cuda
