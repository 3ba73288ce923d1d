// The first faults of a run in sentences: where in the source, what, and in which thread.
#pragma once

#include <string>

#include "experiment/run_result.h"
#include "report/text/text_style.h"

namespace raddle::report {

constexpr std::size_t kMaxErrors = 10;  // printed of a launch, beside those that ended it

// Worth a warning: the program gives the same result in any order.
bool is_harmless(machine::FaultKind kind);

// "at scale.cu:3 in kernel scale<float>, block (1,0,0), thread (5,6,7)"; threads are those of
// kernels.
std::string fault_place(const machine::LaunchResult& launch, const machine::Fault& fault);

// For standard error: "raddle: error: out-of-bounds load …" with its place and, of a limit or a
// deadlock, where each warp stands. Ends in a newline.
std::string fault_error(const machine::LaunchResult& launch, const machine::Fault& fault);

// The first faults of a launch, and those that ended it.
std::string fault_errors(const machine::LaunchResult& launch);

// "scale.cu:3: out-of-bounds load of 4 bytes, in scale<float>, block (1,0,0), thread (5,6,7)"
std::string fault_sentence(const machine::LaunchResult& launch, const machine::Fault& fault);

// Led by an empty line; empty where there is none.
std::string fault_list(const experiment::RunResult& result, const TextStyle& style);

}  // namespace raddle::report
