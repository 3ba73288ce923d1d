// How a parameter table is written: bare keys, values as TOML spells them, the comment `# unit:
// meaning; source` after each value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/parameters.h"

namespace raddle::machine {

// A TOML key that needs no quotes.
bool is_bare_key(std::string_view key);

std::string_view trimmed(std::string_view text);

// What follows the # of one line, or nothing; a # inside a quoted text is none.
std::string_view comment_of(std::string_view line);

// The values without section first, then section by section, comments aligned.
std::string toml_of(const std::vector<Parameter>& parameters);

}  // namespace raddle::machine
