// The tables of the instruction set's reference page, printed from the tables that the assembler
// and the encoder use.
#pragma once

#include <string>

namespace raddle::machine::overlay {

// Markdown.
std::string isa_reference();

}  // namespace raddle::machine::overlay
