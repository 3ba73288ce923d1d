// A program as .tpa text that assembles to the same program again.
#pragma once

#include <string>

#include "machine/tpa/program.h"

namespace raddle::tpa {

std::string disassemble(const machine::tpa::Program& program);

// One line, without its label.
std::string text_of(const machine::tpa::Line& line, const machine::tpa::Program& program);

}  // namespace raddle::tpa
