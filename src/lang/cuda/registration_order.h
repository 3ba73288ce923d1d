// clang registers a file's kernels and variables in a constructor that runs after the file's own.
// Programs exist that launch a kernel from the constructor of a static object, also of one in
// another file; so registration goes before all of them.
#pragma once

#include <string>
#include <string_view>

namespace raddle::cuda {

// The assembly of a host's half with its registration in the first priority that a program has.
std::string register_before_constructors(std::string_view assembly);

}  // namespace raddle::cuda
