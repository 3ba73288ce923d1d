// toml++ as this project uses it: compiled once (toml.cpp), declared here. Include this, never
// <toml++/toml.h>.
#pragma once

#define TOML_HEADER_ONLY 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace raddle::machine {

// Throws Error that names file and line. Keys of very many parts, which would nest as deeply, are
// refused.
toml::table parse_toml(std::string_view text, const std::string& file);

}  // namespace raddle::machine
