// The name a person wrote for a symbol of the C++ ABI: "_Z5scalePf" → "scale(float*)".
#pragma once

#include <string>

namespace raddle {

// The name itself where it is not mangled.
std::string demangled(const std::string& name);

// "scale<float>" of "void scale<float>(float*, int)": a function without result and parameters.
std::string function_name(const std::string& demangled);

}  // namespace raddle
