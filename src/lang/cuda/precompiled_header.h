// The CUDA headers, parsed once: three quarters of the time to compile a small program go into
// them. They are kept in the compile cache, one file for each half and each set of flags, and made
// again when a header changed.
#pragma once

#include <optional>
#include <string>

#include "lang/cuda/clang_commands.h"
#include "lang/cuda/compile_request.h"

namespace raddle::cuda {

enum class Side { kDevice, kHost };

struct PrecompiledHeader {
  std::string file;
  std::string dependencies;  // make rules of what is in it
};

// Nothing where the program's own macros or include folders could change what the headers mean, or
// where they cannot be compiled: then the ordinary way gives the message.
std::optional<PrecompiledHeader> precompiled_header(const Toolchain& toolchain,
                                                    const CompileRequest& request, bool needs_cxx20,
                                                    Side side, const std::string& cache_folder);

}  // namespace raddle::cuda
