// The Data-Driven Network of Workstations: runs a recorded data-driven program on simulated nodes
// and says what it took.
#pragma once

#include "ddm/recording/recording.h"
#include "machine/launch_result.h"
#include "machine/machine.h"
#include "machine/parameters.h"

namespace raddle::machine::d2now {

// Of the options, limits and progress are heeded. Throws Error for what the machine cannot run.
LaunchResult replay(const ParameterTable& parameters, const ddm::recording::Recording& recording,
                    const LaunchOptions& options);

}  // namespace raddle::machine::d2now
