// toml++ as this project uses it: compiled once (toml.cpp), declared here. Include this, never
// <toml++/toml.h>.
#pragma once

#define TOML_HEADER_ONLY 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>
