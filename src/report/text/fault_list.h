// The first faults of a run in sentences: where in the source, what, and in which thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/run_result.h"
#include "report/text/text_style.h"

namespace raddle::report {

constexpr std::size_t kMaxErrors = 10;  // printed of a launch, beside those that ended it

// Worth a warning: the program gives the same result in any order.
bool is_harmless(machine::FaultKind kind);

// `launch` is null for the host's part of the program.
// "at scale.cu:3 in kernel scale<float>, block (1,0,0), thread (5,6,7)"; threads are those of
// kernels.
std::string fault_place(const machine::LaunchResult* launch, const machine::Fault& fault);

// The line of source, and below it a caret at the column; empty where it is not there to read.
std::string quoted_source(const machine::Fault& fault, std::string_view indent);
// Takes the line from the file that the fault names.
void read_source(machine::Fault& fault);

// For standard error: "raddle: error: out-of-bounds load …" with its place and, of a limit or a
// deadlock, where each warp stands. Ends in a newline.
std::string fault_error(const machine::LaunchResult* launch, const machine::Fault& fault);

// The first faults of a launch, and those that ended it.
std::string fault_errors(const machine::LaunchResult& launch);

// "scale.cu:3: out-of-bounds load of 4 bytes, in scale<float>, block (1,0,0), thread (5,6,7)"
std::string fault_sentence(const machine::LaunchResult* launch, const machine::Fault& fault);

// Faults of one kind at one line of one kernel, over all launches: the first, with how often it
// happened in all. Of each kind one comes first, then what is left.
struct FaultGroup {
  const machine::LaunchResult* launch = nullptr;  // null: in the host's part of the program
  machine::Fault fault;
};
std::vector<FaultGroup> grouped_faults(const experiment::RunResult& result);

// Led by an empty line; empty where there is none.
std::string fault_list(const experiment::RunResult& result, const TextStyle& style);

}  // namespace raddle::report
