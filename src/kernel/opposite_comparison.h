// The comparison that holds exactly where another does not.
#pragma once

#include "kernel/instruction.h"

namespace raddle::kernel {

// For floats a NaN decides: "not less" is "greater, equal or unordered". kNone has none.
Compare opposite_of(Compare compare, bool is_float);

}  // namespace raddle::kernel
