// Functions of Cg's standard library that are written in Cg, in terms of the built-in ones.
#pragma once

#include <string_view>

namespace raddle::cg {

std::string_view library_text();

}  // namespace raddle::cg
