// Figures of a run gathered for tables: launches of one kernel and shape added up, cost of source
// lines over all launches, instruction classes by share. Each list has the largest first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

// Launches of one kernel with one shape, added up.
struct KernelTotals {
  std::string kernel;  // short
  machine::Dim3 grid, block;
  experiment::RunTotals totals;
  bool complete = true;
};
// Largest in cycles first, among equals the one launched first.
std::vector<KernelTotals> kernel_totals(const experiment::RunResult& result);

// Share of the warps' lanes that did something.
double lanes_active(const experiment::RunTotals& totals);

// Largest in thread instructions first. Empty without --lines.
std::vector<machine::LineCost> line_totals(const experiment::RunResult& result);

// Thread instructions by class, without empty classes.
std::vector<machine::Share> instruction_classes(const experiment::RunResult& result);

// The `most` largest parts, in their order, and the rest as "others". Empty parts are left out.
std::vector<machine::Share> largest_parts(const std::vector<machine::Share>& parts,
                                          std::size_t most);

}  // namespace raddle::report
