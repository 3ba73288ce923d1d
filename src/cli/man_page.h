// Manual pages in the language of man(7), written from the grammar of the command line.
#pragma once

#include <string>

#include "cli/grammar.h"

namespace raddle::cli {

// `path` is what the user types before the command's own options: "raddle run".
std::string man_page(const GrammarCommand& command, const std::string& path);

}  // namespace raddle::cli
