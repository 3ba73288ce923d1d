// What multioperations and multiprefixes took, beside what the paper's formulas say: one row for
// each technique and line of the program, from the statistics of a thick control flow machine.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

struct TechniqueRow {
  std::string technique;  // "MMP"
  std::string where;      // "prefix.e:9"
  double executions = 0, fibers = 0, targets = 0;
  double cycles = 0, formula_cycles = 0;  // of all executions
  std::string formula;                    // what was added up, in words
};
std::vector<TechniqueRow> technique_rows(const experiment::RunResult& result);

// Of the end-of-run screen and of the page; empty where there is nothing to say.
std::string technique_table(const experiment::RunResult& result);
std::string techniques_html(const experiment::RunResult& result);

}  // namespace raddle::report
