// TOML whose every value says where it comes from, and its unit where no declaration does:
// `key = value  # source` or `key = value  # unit; source`. Machine tables and energy coefficients
// are written this way.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "machine/parameters.h"

namespace raddle::machine {

// The values in the order of the file, keys of inner tables dotted. Only the `titles` may go
// without comment. Throws Error with file and line.
std::vector<Parameter> read_sourced_values(std::string_view text, const std::string& file,
                                           std::initializer_list<std::string_view> titles);

}  // namespace raddle::machine
