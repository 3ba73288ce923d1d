// What multioperations and multiprefixes took, beside what the paper's formulas say: one row for
// each technique and line of the program, as thick control flow machines tell them.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

// For the end-of-run screen and for the page; empty where there is nothing to say.
std::string technique_table(const experiment::RunResult& result);
std::string techniques_html(const experiment::RunResult& result);

}  // namespace raddle::report
