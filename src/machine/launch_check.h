// What every machine asks before it runs a launch: whether the kernel may be launched in this way,
// and whether a block fits the device.
#pragma once

#include "kernel/exec/decoded.h"
#include "machine/kernel_machine.h"

namespace raddle::machine {

// Throws Error. Windows of inter-thread operations have to divide the block. Static shared memory
// has to fit what a block has without opting in; together with dynamic memory it may take all that
// a multiprocessor has.
void check_launch(const kernel::exec::DecodedKernel& kernel, const Launch& launch,
                  const DeviceDescription& device, const Traits& traits);

}  // namespace raddle::machine
