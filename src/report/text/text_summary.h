// One screen on one run: what ran where, cycles, time and IPC against the machine's peak, the one
// sentence on what held it up, each kernel with its counts, memory by level, how instructions,
// issue slots and energy split, faults, and where the whole result lies. At most 100 columns, some
// 40 lines unless it is asked for in full; colour only where asked for.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

struct SummaryOptions {
  bool colour = false;
  std::string result_file;      // named in the last line; empty: no such line
  std::string trace_file = {};  // the same
  bool in_full = false;         // every kernel, source line, node and series of samples
};

std::string text_summary(const experiment::RunResult& result, const SummaryOptions& options);

}  // namespace raddle::report
