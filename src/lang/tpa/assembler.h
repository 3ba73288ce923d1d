// The assembler of the TPA: a .tpa file, one VLIW instruction a line as in the paper's Figures 18,
// 19 and 21, becomes a program. docs/machines/tpa-isa.md says how a file is written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "machine/tpa/program.h"

namespace raddle::tpa {

// Values for `.param` names in place of those that the file gives them.
using ParameterValues = std::map<std::string, std::int64_t, std::less<>>;

// Bytes of the machine's memories, so that arrays are refused before their contents are made.
struct MemoryLimits {
  machine::tpa::Word shared = ~machine::tpa::Word{0};
  machine::tpa::Word local = ~machine::tpa::Word{0};
};

// Throws Error with every fault that was found (up to 20), each with file, line, column, a caret
// and a hint.
machine::tpa::Program assemble(std::string_view text, const std::string& file_name,
                               const ParameterValues& values = {}, const MemoryLimits& limits = {});

// The `.param` names of the file and their values, without looking at its instructions.
ParameterValues parameters_of(std::string_view text, const std::string& file_name,
                              const ParameterValues& values = {}, const MemoryLimits& limits = {});

}  // namespace raddle::tpa
