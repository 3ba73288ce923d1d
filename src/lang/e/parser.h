// e text to a tree. Everything that is wrong with the syntax goes into `diagnostics`; the tree
// holds what could be read and must not be used if there were errors.
#pragma once

#include <string>
#include <string_view>

#include "lang/e/ast.h"
#include "lang/e/diagnostics.h"

namespace raddle::e {

Program parse(std::string_view text, Diagnostics& diagnostics);

}  // namespace raddle::e
