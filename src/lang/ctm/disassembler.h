// Programs of the overlay back to CTM assembly. What it prints assembles to the very same words,
// program bounds and constants: whatever the plain text does not say stands in brackets, field by
// field.
#pragma once

#include <string>

#include "machine/overlay/shader.h"

namespace raddle::ctm {

std::string disassemble(const machine::overlay::Shader& shader);

// The words themselves, six a line, as .word directives; each with its text as a comment.
std::string word_listing(const machine::overlay::Shader& shader);

}  // namespace raddle::ctm
