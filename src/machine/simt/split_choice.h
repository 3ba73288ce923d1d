// How the L1 and shared memory of a multiprocessor are divided for a launch. CUDA C Programming
// Guide, compute capability 2.x: as the kernel prefers; without a preference as for the launch
// before; and in any case so that the kernel can be launched.
#pragma once

#include "machine/kernel_machine.h"
#include "machine/simt/occupancy.h"

namespace raddle::machine::simt {

// `latest`: of the launch before.
SplitChoice choose_split(const Launch& launch, const BlockNeeds& needs, SplitChoice latest,
                         const GpuParameters& gpu);
// A multiprocessor divided so.
CoreParameters divided(const CoreParameters& core, SplitChoice choice);
L1Split describe_split(const CoreParameters& core, SplitChoice choice,
                       kernel::exec::CachePreference preference);

}  // namespace raddle::machine::simt
