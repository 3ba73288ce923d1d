// Keeps figures that cannot be out of results. A count of 2^63 or more is one that was decremented
// below zero: no machine counts as far, and neither JSON readers nor SQL take it.
#pragma once

#include <string>

#include "machine/launch_result.h"

namespace raddle::experiment {

// Sets counts and stall cycles that are out of range to zero, and marks the launch as incomplete if
// there are any. Returns what was wrong, such as "cycles underflowed"; empty where nothing was.
std::string drop_impossible_figures(machine::LaunchResult& launch);

}  // namespace raddle::experiment
