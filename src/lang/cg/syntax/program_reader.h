// Reads a Cg program: preprocesses, parses and checks it, together with the library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/options.h"
#include "lang/cg/syntax/ast.h"
#include "lang/cg/syntax/diagnostic.h"

namespace raddle::cg {

struct CheckedProgram {
  Program program;
  std::uint32_t entry = 0;              // function that runs for every point
  std::optional<std::uint32_t> vertex;  // function that runs for every corner, if there is one
  std::shared_ptr<SourceFiles> sources;
  std::vector<std::string> warnings;
  std::vector<std::string> pragmas;  // words of `#pragma raddle`
};

// Throws one Error that shows everything that is wrong with what the entry reaches; other functions
// may be wrong. The entry is the function of this name; without a name `main`, or else the only one
// that no other calls, or else `main_fragment`. Beside it `main_vertex` is the vertex program.
CheckedProgram read_program(std::string_view text, const std::string& file_name,
                            const Options& options = {});

}  // namespace raddle::cg
