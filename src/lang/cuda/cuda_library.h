// CUDA's libraries as Raddle has them: CUDA sources in libraries/NAME, compiled like any program
// into a static library when something first links with it, and kept in a cache until a source, a
// header or the compiler changes. Static, so that a program holds what it uses and needs no cache
// to run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cuda/clang_commands.h"

namespace raddle::cuda {

// cublas, cufft …: the folders of libraries/, in the order in which a linker wants them.
std::span<const std::string_view> cuda_library_names();

// The libraries that -lNAME brings, in linking order: none if the name is none of CUDA's, one of
// static libraries (cublas_static) brings the same.
std::vector<std::string_view> cuda_libraries_of(std::string_view name);

struct CudaLibrary {
  std::string archive;
  std::string dependencies;  // a make rule of every file that it was made of
};

// Compiles it, or finds it in the cache: $RADDLE_CACHE_DIR, else raddle in the user's cache folder.
// Throws Error.
CudaLibrary cuda_library(std::string_view name, const Toolchain& toolchain);

}  // namespace raddle::cuda
