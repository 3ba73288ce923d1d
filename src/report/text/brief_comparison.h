// Many runs on one screen: a table of machines by programs, and for each program a sentence about
// the machine that is quickest.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"
#include "report/text/comparison.h"

namespace raddle::report {

// Machines and programs in the order in which they come first; a dash where there is no run.
std::string brief_comparison(const std::vector<experiment::RunResult>& results,
                             const ComparisonOptions& options);

}  // namespace raddle::report
