// What the processor counted, as figures of a result.
#pragma once

#include "machine/launch_result.h"
#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/processor.h"

namespace raddle::machine::overlay {

void add_figures(const Processor& processor, const OverlayParameters& parameters,
                 const Configuration& configuration, bool lines, LaunchResult& result);

}  // namespace raddle::machine::overlay
