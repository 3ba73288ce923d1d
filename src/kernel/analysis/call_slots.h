// Arguments and results of calls, which PTX keeps in parameter memory: here they are registers, or
// where a slot is not accessed piece by piece, local memory.
#pragma once

#include "kernel/module.h"

namespace raddle::kernel {

// Also gives calls that are left their arguments as further sources and their result as
// destination.
void keep_slots_in_registers(Function& function);

}  // namespace raddle::kernel
