// `raddle c++`: compiles data-driven C++ programs (raddle/ddm.h).
#pragma once

#include <span>
#include <string>

namespace raddle::driver::ddm {

// Returns the exit status.
int cxx_command(std::span<const std::string> arguments);

}  // namespace raddle::driver::ddm
