// The preprocessor of Cg, as far as shaders use it: #include, #define with and without parameters
// and with ##, #undef, #if, #ifdef, #ifndef, #elif, #else, #endif, #error, #pragma, #line and the
// line markers of cpp. What a condition leaves out may be any text. A token that comes out of a
// macro carries the place where the macro was used. # in a macro is not supported, and the message
// says so.
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

// `#pragma parameter NAME "Label" VALUE …`: the value of the uniform of this name.
struct ParameterPragma {
  std::string name;
  float value = 0;
};

struct Preprocessed {
  std::vector<Token> tokens;  // ended by one of kind kEnd
  std::vector<ParameterPragma> parameters;
  // What `#pragma raddle WORD …` lines say, word by word; other pragmas are ignored.
  std::vector<std::string> pragmas;
};

// Reads the first of the diagnostics' sources and adds those that it includes, which are looked for
// beside the file that names them and then in the folders. `macros` must outlive the tokens.
Preprocessed preprocess(Diagnostics& diagnostics, const std::vector<PredefinedMacro>& macros,
                        const std::vector<std::string>& include_folders = {});

}  // namespace raddle::cg
