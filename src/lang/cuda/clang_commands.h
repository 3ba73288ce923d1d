// The command lines given to clang: one for each half of a CUDA file, for plain host files, and for
// linking. They name every tool by its absolute path and refer to no CUDA toolkit; folders of one
// in -I and -L are left out.
#pragma once

#include <string>
#include <vector>

#include "lang/cuda/compile_request.h"
#include "lang/cuda/process.h"

namespace raddle::cuda {

struct Toolchain {
  std::string clang;           // the C++ driver
  std::string include_folder;  // holds raddle/cuda
  std::string library_folder;  // holds libraddle-cudart.so
  std::string source_folder;   // holds cublas, cufft … as CUDA sources
  std::string toolkit_folder;  // what `raddle toolkit` made and the call came through, or empty
  bool colour = false;         // of diagnostics
};

// What nvcc prints with -v before its commands, and build systems read: where the toolkit, its
// headers and libraries are, and the architecture. Empty where the call came through no toolkit.
std::string toolkit_variables(const Toolchain& toolchain, const CompileRequest& request);

// clang 19 and Raddle's own files. Throws Error where there is no clang.
Toolchain find_toolchain();
// Different after a package update, which changes the compiler's size or time.
std::string compiler_identity(const Toolchain& toolchain);

// What is compiled, and what the source asks for beside the request.
struct SourceJob {
  std::string source;
  std::string output;
  std::string overlay_file;  // -ivfsoverlay, or empty
  bool needs_cxx20 = false;
  std::string dependency_file;  // -MD into this file, or empty
  std::string header_file;      // precompiled CUDA headers, or empty
};

Command device_command(const Toolchain& toolchain, const CompileRequest& request,
                       const SourceJob& job);
// `image` is the file that the executable carries for the device; `mode` is -c or -S.
Command host_command(const Toolchain& toolchain, const CompileRequest& request,
                     const SourceJob& job, const std::string& image, const std::string& mode);
// The headers alone, to be used as SourceJob::header_file by the commands above with the same
// request.
Command header_command(const Toolchain& toolchain, const CompileRequest& request,
                       const SourceJob& job, bool device);
// Preprocessing and dependency lists of the host's half; `mode` is -E, -M or -MM.
Command preprocess_command(const Toolchain& toolchain, const CompileRequest& request,
                           const SourceJob& job, const std::string& mode);
Command plain_command(const Toolchain& toolchain, const CompileRequest& request, Language language,
                      const SourceJob& job);
Command link_command(const Toolchain& toolchain, const CompileRequest& request,
                     const std::vector<std::string>& objects, const std::string& output);
Command archive_command(const CompileRequest& request, const std::vector<std::string>& objects,
                        const std::string& output);

}  // namespace raddle::cuda
