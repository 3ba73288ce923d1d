// CTM assembly to a program of the overlay. docs/machines/overlay-isa.md says what may be written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "machine/overlay/shader.h"

namespace raddle::ctm {

// Throws Error with file, line and column, the line with a caret, and a hint.
machine::overlay::Shader assemble(std::string_view text, const std::string& file_name);

// What a program needs of the processor, computed from its instructions: how many temporaries, and
// whether its flow control is of the full kind. The assembler has filled them in already.
// Addresses relative to aL may reach any register; `declared` says how many there are then.
void derive_needs(machine::overlay::Shader& shader, std::uint16_t declared = 0);

}  // namespace raddle::ctm
