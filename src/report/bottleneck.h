// The one sentence that says what held a run up: "62% of issue slots stall on long scoreboard
// (memory); memory is at 91% of its peak". Made from the split of the issue slots and from how busy
// the units were; a machine that does not split its cycles gets a sentence that says so.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

// Empty where nothing was launched.
std::string bottleneck_sentence(const experiment::RunResult& result);

// "barrier 55%": the largest cause but what was issued, as a share of all cycles; a dash if none.
std::string main_cause(const std::vector<machine::Stall>& stalls);

}  // namespace raddle::report
