// Figures over the time of a launch (--sample N). Samples are taken between quanta, where all parts
// stand at the same time, so N is rounded up to whole quanta.
#pragma once

#include <cstdint>

#include "machine/run/sampler.h"
#include "machine/simt/gpu.h"

namespace raddle::machine::simt {

// From the present cycle of the GPU on; `cycles` is what the user asked for. Both must outlive it.
Sampler gpu_sampler(Gpu& gpu, const GpuParameters& parameters, Cycle cycles);

}  // namespace raddle::machine::simt
