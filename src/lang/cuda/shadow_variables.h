// The host's half of a CUDA file has a shadow for each variable of the device, whose address stands
// for it. clang makes shadows private to their file. Where files share their device symbols
// (-rdc=true) they must share the shadows as well: an `extern __device__` variable may be copied to
// from any of them, and two files that define the same one are an error of the program.
#pragma once

#include <string>
#include <string_view>

#include "lang/cuda/ptx_text.h"

namespace raddle::cuda {

// The assembly with the shadows of these variables visible to all files that are linked together,
// but not beyond: a shared library has its own device symbols.
std::string make_shadows_shared(std::string_view assembly, const SharedVariables& variables);

}  // namespace raddle::cuda
