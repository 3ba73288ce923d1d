// The integer expression after #if and #elif, its macros already expanded; a name that is left
// counts as 0, as in C.
#pragma once

#include <span>

#include "lang/cg/syntax/diagnostic.h"
#include "lang/cg/syntax/lexer.h"

namespace raddle::cg {

long long condition_value(std::span<const Token> tokens, Place place, Diagnostics& diagnostics);

}  // namespace raddle::cg
