// What a run of the processor used, as events of the common energy tables. Words have 64 bits, the
// tables' operations 32: each counts twice.
#pragma once

#include "energy/energy.h"
#include "machine/launch_result.h"
#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

energy::EventCounts energy_events(const Processor& processor, const TpaParameters& parameters);

// What scratchpads and the ALUs of multioperations took of the whole (paper, §5.2), as a statistic.
void add_overhead(const Processor& processor, const energy::CoefficientSet& coefficients,
                  LaunchResult& result);

}  // namespace raddle::machine::tpa
