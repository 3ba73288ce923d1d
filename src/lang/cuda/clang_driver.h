// Compiles CUDA programs to ordinary executables whose device is simulated. Each CUDA file is
// compiled twice and side by side, to PTX text for the device and to an object for the host that
// carries this text;
// Raddle's runtime library reads it when the program starts. Outputs appear only when everything
// before them succeeded.
#pragma once

#include <functional>
#include <string>

#include "lang/cuda/clang_commands.h"
#include "lang/cuda/compile_request.h"

namespace raddle::cuda {

struct CompileOutcome {
  int status = 0;            // 0, or the failing compiler's
  std::string output;        // what belongs on standard output: -E, -M, --dryrun
  std::string diagnostics;   // what belongs on standard error
  std::string dependencies;  // make rules of every file that was read, when asked for
};

// Looks at the PTX of a source before it becomes part of anything. Throws Error where it finds
// something wrong.
using PtxCheck = std::function<void(const std::string& ptx, const std::string& source)>;

struct CompileExtras {
  std::string ptx_file;  // also keep the PTX of the (one) CUDA file here
  bool want_dependencies = false;
  bool must_be_cuda = false;    // a source without kernels and runtime calls is an error
  PtxCheck check_inter_thread;  // for sources that use raddle/dmt.h
};

// Throws Error for what is wrong with the request or the machine; what is wrong with the program is
// in the outcome.
CompileOutcome compile(const CompileRequest& request, const Toolchain& toolchain,
                       const CompileExtras& extras = {});

}  // namespace raddle::cuda
