// How many blocks of a kernel fit on a multiprocessor that is described by its limits alone:
// threads, blocks, registers and shared memory, as CUDA's occupancy calculator counts them.
// Machines with a model of their own count by that instead.
#pragma once

#include <cstdint>

#include "kernel/analysis/register_allocation.h"
#include "kernel/exec/decoded.h"
#include "machine/kernel_machine.h"

namespace raddle::machine {

// How many registers the compiler may give a thread of the kernel, or of a function it calls:
// within its launch bounds.
kernel::RegisterLimits register_limits(const kernel::Function& kernel,
                                       const DeviceDescription& device);

// The most that the kernel or a function it may call needs, within its launch bounds.
std::uint32_t registers_per_thread(const kernel::exec::DecodedKernel& kernel,
                                   const DeviceDescription& device);

Occupancy block_occupancy(const kernel::exec::DecodedKernel& kernel, std::uint32_t registers,
                          const Launch& launch, const DeviceDescription& device);

}  // namespace raddle::machine
