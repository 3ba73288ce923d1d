// Lets the stats of this namespace be added, subtracted and compared: operators are looked for in
// the namespace of their operands, and those of sim/stats.h live in another.
#pragma once

#include "sim/stats.h"

namespace raddle::memory {

using sim::operator+=;
using sim::operator-;
using sim::operator==;

}  // namespace raddle::memory
