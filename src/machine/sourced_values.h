// TOML whose every value says where it comes from, and its unit where no declaration does:
// `key = value  # source` or `key = value  # unit; source`. Machine tables and energy coefficients
// are written this way.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/parameters.h"

namespace raddle::machine {

enum class Sources { kRequired, kOptional };

// What a value without a comment has for its source, where that is optional.
inline constexpr std::string_view kNoSource = "no source given";

// The values in the order of the file, keys of inner tables dotted. The `titles` have no comment.
// Throws Error with file and line.
std::vector<Parameter> read_sourced_values(std::string_view text, const std::string& file,
                                           std::span<const std::string_view> titles,
                                           Sources sources = Sources::kRequired);

}  // namespace raddle::machine
