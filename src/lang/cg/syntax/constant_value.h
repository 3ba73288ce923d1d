// Integers that must be known while the program is read, such as sizes of arrays.
#pragma once

#include <cstdint>
#include <optional>

#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

std::optional<std::int64_t> constant_integer(const Expr& expression, const Program& program);

}  // namespace raddle::cg
