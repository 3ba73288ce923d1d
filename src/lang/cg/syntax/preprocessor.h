// The preprocessor of Cg, as far as shaders use it: #define with and without parameters, #undef,
// #if, #ifdef, #ifndef, #elif, #else, #endif, #error, #pragma and #line (both ignored). A token
// that comes out of a macro carries the place where the macro was used. #include, # and ## are not
// supported and say so.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/cg/syntax/diagnostic.h"
#include "lang/cg/syntax/lexer.h"

namespace raddle::cg {

// A macro that is set before the first line, as by `-D NAME=VALUE`.
struct PredefinedMacro {
  std::string name;
  std::string value;
};

struct Preprocessed {
  std::vector<Token> tokens;  // ended by one of kind kEnd
  // What `#pragma raddle WORD …` lines say, word by word; other pragmas are ignored.
  std::vector<std::string> pragmas;
};

// `macros` must outlive the tokens.
Preprocessed preprocess(std::string_view text, const std::vector<PredefinedMacro>& macros,
                        Diagnostics& diagnostics);

}  // namespace raddle::cg
