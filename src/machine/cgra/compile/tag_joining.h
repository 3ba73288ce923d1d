// A channel may be tagged at several places, on paths that exclude each other. A fabric sends what
// is tagged from one node: the values are brought together where the paths meet, and tagged there.
#pragma once

#include "kernel/module.h"

namespace raddle::machine::cgra {

// Leaves one tag of each channel. Throws Error that names the lines where paths do not meet before
// the value is received.
void join_tags(kernel::Function& function, const kernel::Module& module);

}  // namespace raddle::machine::cgra
