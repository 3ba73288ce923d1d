// Reads a Cg program: preprocesses, parses and checks it, together with the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/syntax/ast.h"
#include "lang/cg/syntax/diagnostic.h"
#include "lang/cg/syntax/preprocessor.h"

namespace raddle::cg {

struct CheckedProgram {
  Program program;
  std::vector<std::string> warnings;
  std::vector<std::string> pragmas;  // words of `#pragma raddle`
};

// Throws one Error that shows everything that is wrong.
CheckedProgram read_program(std::string_view text, const std::string& file_name,
                            const std::vector<PredefinedMacro>& macros = {});

// The function that runs for every point of the domain: the one of this name; without a name
// `main`, or else the only one that no other calls, or else `main_fragment`. Throws an Error where
// that is not clear.
std::uint32_t find_entry(const Program& program, std::string_view name,
                         const std::string& file_name);

}  // namespace raddle::cg
