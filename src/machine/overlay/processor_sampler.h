// Figures over the time of a run (--sample N). N is rounded up to whole periods of four cycles.
#pragma once

#include <cstdint>

#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/processor.h"
#include "machine/run/sampler.h"

namespace raddle::machine::overlay {

// Both must outlive it.
Sampler processor_sampler(const Processor& processor, const OverlayParameters& parameters,
                          Cycle cycles);

}  // namespace raddle::machine::overlay
