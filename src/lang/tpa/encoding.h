// The binary form of a program (.tpo). docs/machines/tpa-isa.md describes it byte by byte. Reading
// what was written gives the same program; anything else is refused.
#pragma once

#include <string>
#include <string_view>

#include "machine/tpa/program.h"

namespace raddle::tpa {

inline constexpr std::string_view kBinaryMagic = "TPA1";

std::string encode(const machine::tpa::Program& program);

// Throws Error that names the byte that is wrong.
machine::tpa::Program decode(std::string_view bytes, const std::string& file_name);

}  // namespace raddle::tpa
