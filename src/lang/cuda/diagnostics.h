// clang's diagnostics in the words of a Raddle user: they keep file, line and column; what clang
// cannot know (that a construct is CUDA but not simulated) is said in its place.
#pragma once

#include <string>

namespace raddle::cuda {

std::string translate_diagnostics(const std::string& text);

}  // namespace raddle::cuda
