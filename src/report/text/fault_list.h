// The first faults of a run in sentences: where in the source, what, and in which thread.
#pragma once

#include <string>

#include "experiment/run_result.h"
#include "report/text/text_style.h"

namespace raddle::report {

// Whether it is some thread's; limits and deadlocks concern the launch as a whole.
bool concerns_thread(machine::FaultKind kind);

// "scale.cu:3: out-of-bounds load of 4 bytes, in scale<float>, block (1,0,0), thread (5,6,7)"
std::string fault_sentence(const machine::Fault& fault);

// Led by an empty line; empty where there is none.
std::string fault_list(const experiment::RunResult& result, const TextStyle& style);

}  // namespace raddle::report
