// Results as one page that opens from disk: header, key figures, what held the run up, charts,
// kernels, faults, lines, parameters with their sources, statistics of parts, and the result
// document itself to save. Several results begin with charts that put them side by side.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

// At least one result. The whole file, which refers to nothing outside itself.
std::string html_report(const std::vector<experiment::RunResult>& results);

}  // namespace raddle::report
