// Figures over the time of a launch (--sample N). Samples are taken between quanta.
#pragma once

#include <cstdint>

#include "machine/cgra/fabric/fabric.h"
#include "machine/run/sampler.h"

namespace raddle::machine::cgra {

// From the present cycle of the fabric on; `cycles` is what the user asked for.
Sampler fabric_sampler(Fabric& fabric, Cycle cycles);

}  // namespace raddle::machine::cgra
