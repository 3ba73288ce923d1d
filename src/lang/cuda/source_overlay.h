// The user's own source files as clang should see them: the file itself and whatever it includes
// with quotes, with old launch brackets joined and registers of inline PTX written as clang takes
// them. Files are never changed on disk; clang reads the rewritten text under the original name
// through a virtual file system, so that diagnostics and debug lines name what the user wrote.
#pragma once

#include <string>
#include <vector>

#include "lang/cuda/compile_request.h"
#include "lang/cuda/process.h"

namespace raddle::cuda {

struct SourceOverlay {
  std::vector<std::string> files;  // the source and its quoted includes, as far as they were found
  std::string overlay_file;        // for -ivfsoverlay; empty if nothing was rewritten
  bool includes_dmt = false;       // the source uses dmt.h, which is C++20
  bool mentions_cuda = false;      // a kernel, or a call of the runtime
};

// Throws Error where the source is missing, empty or no text.
SourceOverlay prepare_source(const std::string& source, const CompileRequest& request,
                             const TemporaryFolder& folder);

}  // namespace raddle::cuda
