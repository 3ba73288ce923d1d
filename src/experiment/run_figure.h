// One figure of a run by its path: `cycles`, `seconds`, `ipc`, `energy`, `energy.DRAM`,
// `stall.barrier`, `memory.global.load_accesses`, `stat.L2.hits`, `utilisation.DRAM`,
// `histogram.linear_distance.within.16` and `.total`. Claims and sweeps name figures this way.
#pragma once

#include <span>
#include <string>

#include "experiment/run_result.h"

namespace raddle::experiment {

// Throws Error that names the nearest figure there is. What a machine does not model is an Error
// too: nothing must look like zero joules.
double run_figure(const RunResult& result, std::span<const std::string> path);

// The same run with only the launches of kernels whose name (without parameters) matches a pattern
// in which * stands for anything. Throws Error when none does.
RunResult only_kernels(const RunResult& result, const std::string& pattern);

}  // namespace raddle::experiment
