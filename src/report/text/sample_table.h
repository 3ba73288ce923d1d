// Figures over time as text: one row for each series of a launch, with its least, mean and largest
// value and a line of bars. What the page draws as charts, for `raddle results show`.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

// Led by an empty line for each launch; empty without --sample.
std::string sample_tables(const experiment::RunResult& result);

}  // namespace raddle::report
