// One screen on one run: what ran where, each kernel with its counts, memory by space, the
// instruction mix, faults, and where the whole result lies. At most 100 columns; colour only where
// asked for.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

struct SummaryOptions {
  bool colour = false;
  std::string result_file;  // named in the last line; empty: no such line
};

std::string text_summary(const experiment::RunResult& result, const SummaryOptions& options);

// "scale" of "void scale<float>(float*, int)": a kernel's name without result and parameters.
std::string short_kernel_name(const std::string& demangled);

}  // namespace raddle::report
