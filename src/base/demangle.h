// The name a person wrote for a symbol of the C++ ABI: "_Z5scalePf" → "scale(float*)".
#pragma once

#include <string>

namespace raddle {

// The name itself where it is no mangled one.
std::string demangled(const std::string& name);

}  // namespace raddle
