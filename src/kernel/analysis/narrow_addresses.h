// 64-bit registers that need 32 bits on a card: all that is done with their values is to compute
// addresses of shared or local memory, which are offsets of 32 bits there.
#pragma once

#include <vector>

#include "kernel/module.h"

namespace raddle::kernel {

// By register.
std::vector<bool> find_narrow_addresses(const Function& function);

}  // namespace raddle::kernel
