// What a run of the processor counted, as figures of a result.
#pragma once

#include "energy/energy.h"
#include "machine/launch_result.h"
#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

void add_figures(Processor& processor, const TpaParameters& parameters,
                 const energy::CoefficientSet& coefficients, const Program& program, bool lines,
                 LaunchResult& result);

}  // namespace raddle::machine::tpa
