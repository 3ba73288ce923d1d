// Figures over the time of a run (--sample N), summed over all backends.
#pragma once

#include <cstdint>

#include "machine/run/sampler.h"
#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

// From the present cycle on.
Sampler run_sampler(const Processor& processor, Hertz clock, Cycle cycles);

}  // namespace raddle::machine::tpa
