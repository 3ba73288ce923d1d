// Old sources write a launch as `kernel<< <grid, block>> >(…)`, which nvcc takes and clang does
// not. This rewrites the pieces to `<<<` and `>>>` and leaves everything else, and every line and
// column, where it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace raddle::cuda {

// The source with its launches joined, of the same length; nothing if there is none to join.
std::optional<std::string> join_launch_brackets(std::string_view source);

}  // namespace raddle::cuda
