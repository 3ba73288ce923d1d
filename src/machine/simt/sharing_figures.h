// What a result says of sharing in a launch: the configuration, what was lent, and how much it was
// used.
#pragma once

#include "machine/launch_result.h"
#include "machine/simt/gpu.h"
#include "machine/simt/sharing_choice.h"

namespace raddle::machine::simt {

// Nothing in the baseline.
void add_sharing_figures(const GpuCounts& counts, const Gpu& gpu, const GpuParameters& parameters,
                         LaunchResult& result);

// For a mode that was chosen automatically: which, and why.
void add_choice(const SharingChoice& choice, LaunchResult& result);

}  // namespace raddle::machine::simt
