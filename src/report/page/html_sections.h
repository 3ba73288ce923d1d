// The parts of a report page that are text and tables, one function each; empty where a run has
// nothing of the kind.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

// Arguments, machine, changed parameters, version; and a warning for a run that ended early.
std::string facts_html(const experiment::RunResult& result);
std::string tiles_html(const experiment::RunResult& result);
std::string kernels_html(const experiment::RunResult& result);
std::string faults_html(const experiment::RunResult& result);
std::string lines_html(const experiment::RunResult& result);
std::string memory_html(const experiment::RunResult& result);
std::string parameters_html(const experiment::RunResult& result);
std::string stats_html(const experiment::RunResult& result);

}  // namespace raddle::report
