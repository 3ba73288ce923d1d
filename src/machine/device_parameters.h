// What a device without timing is to programs: its memories, and what fits on a multiprocessor.
#pragma once

#include "machine/kernel_machine.h"
#include "machine/parameter_binder.h"

namespace raddle::machine {

void bind_device(const ParameterBinder& p, DeviceDescription& device);

}  // namespace raddle::machine
