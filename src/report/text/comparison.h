// Results side by side: one column a run, with the ratio to the first. Figures of the host computer
// are left out, as they say nothing about the machines.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

struct ComparisonOptions {
  bool colour = false;
};

// The table as texts: a row a figure that says something, a column a run and, but for the first,
// one for its ratio to the first. At least one run.
struct ComparisonCells {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};
ComparisonCells comparison_cells(const std::vector<experiment::RunResult>& results);

// What all results ran: the program, with its arguments where these are the same, too.
std::string comparison_title(const std::vector<experiment::RunResult>& results);

// Results by program, so that each is compared with its own first; all in one where no program has
// two.
std::vector<std::vector<experiment::RunResult>> comparison_groups(
    const std::vector<experiment::RunResult>& results);

// Several runs, usually of one program on several machines. At least one. What has no room beside
// the first goes below, beside the first again.
std::string comparison_table(const std::vector<experiment::RunResult>& results,
                             const ComparisonOptions& options);

// One row a program: its cycles on each machine and the ratio to the first. Programs without
// results are left out.
std::string overview_table(const std::vector<std::vector<experiment::RunResult>>& by_program);

}  // namespace raddle::report
