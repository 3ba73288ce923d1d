// Loops that carry many values would write all of them to the live-value cache in the one piece
// that ends an iteration. Where it is safe, a value gets the register of the phi that it goes to,
// so that it is written where it is computed; what a loop starts with is written in front of it by
// instructions of its own. What comes out is no longer SSA: such a register has several writers,
// and code must be read in order.
#pragma once

#include <vector>

#include "kernel/module.h"

namespace raddle::machine::cgra {

// For the phis of blocks with more than `most_phis` of them. Returns, by register, whether it has
// several writers now.
std::vector<bool> share_slots(kernel::Function& ssa, std::size_t most_phis);

}  // namespace raddle::machine::cgra
