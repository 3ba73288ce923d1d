// Races in sentences: both accesses with line, thread and value, and what would order them.
#pragma once

#include "kernel/check/race_detector.h"

namespace raddle::kernel::check {

// Adds what the detector found to the launch's faults.
void report_races(const RaceDetector& detector, exec::GridState& grid);

}  // namespace raddle::kernel::check
