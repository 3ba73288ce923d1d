// What an operation gives when its operands are known, or when it changes nothing.
#pragma once

#include <array>
#include <optional>

#include "lang/cg/ir/ir.h"

namespace raddle::cg {

// The refs that a value can be replaced by, without changing a bit: literals where all that it
// needs is known, an operand where the operation leaves it as it is.
std::optional<std::array<Ref, 4>> fold(const IrValue& value);

// The same, where the sign of a zero and what infinities do may change.
std::optional<std::array<Ref, 4>> fold_loosely(const IrValue& value);

}  // namespace raddle::cg
