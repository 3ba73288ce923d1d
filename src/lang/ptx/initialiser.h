// Initial values of variables: numbers, nested braces, and addresses of symbols (generic(sym)+4,
// 0xFF00(sym)), which become relocations because addresses are known only when the module is
// loaded.
#pragma once

#include "kernel/module.h"
#include "lang/ptx/declaration.h"

namespace raddle::ptx {

// From after the '='. An array whose first bound was not written gets it from the number of
// values; that changes `declaration.size`.
void parse_initialiser(Context& context, Declaration& declaration, kernel::Variable& variable);

}  // namespace raddle::ptx
