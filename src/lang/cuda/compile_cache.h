// Compiled programs, kept by content: a program is compiled again only when its source, a file it
// includes, the flags, the compiler or Raddle itself changed. An entry is a folder with the
// executable and its PTX; entries appear whole, may be deleted at any time, and several processes
// may share one cache.
#pragma once

#include <optional>
#include <string>

#include "lang/cuda/clang_driver.h"

namespace raddle::cuda {

struct CompiledProgram {
  std::string executable;  // empty if compiling failed
  std::string ptx_file;
  bool from_cache = false;
  int status = 0;  // the compiler's
  std::string diagnostics;
};

// Compiles the request (one CUDA file, to be linked) or finds it in the cache. Throws Error.
CompiledProgram compile_cached(const CompileRequest& request, const Toolchain& toolchain,
                               const std::string& cache_folder,
                               const PtxCheck& check_inter_thread = {});

}  // namespace raddle::cuda
