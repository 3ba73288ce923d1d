// The one sentence that says what held a run up: "62% of issue slots wait for DRAM; DRAM is at 91%
// of its peak". Made from the split of the issue slots and from how busy the units were; a machine
// that does not split its cycles gets a sentence that says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

// Empty where nothing was launched.
std::string bottleneck_sentence(const experiment::RunResult& result);

// "DRAM" of the stall name "wait: DRAM"; names without that beginning stay as they are.
std::string_view stall_cause(std::string_view stall_name);

// "DRAM 55%": what was waited for longest, as a share of all that is split; a dash if for nothing.
std::string main_cause(const std::vector<machine::Share>& stalls);

}  // namespace raddle::report
