// `__shared__ alignas(16) float tile[64];`: nvcc takes alignas after CUDA's words for where a
// variable lives, where C++ wants it first. Clang takes C's _Alignas there, which means the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace raddle::cuda {

// The source with such words exchanged; nothing if there is none. Lines stay.
std::optional<std::string> exchange_alignments(std::string_view source);

}  // namespace raddle::cuda
