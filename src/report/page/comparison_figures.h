// Charts that put several results side by side: cycles, time, speed-up, IPC and energy by program
// and machine.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"
#include "report/page/report_figures.h"

namespace raddle::report {

// What to call each result among the others: file names without folders, arguments and changed
// parameters only where they tell two results apart, "#2" where nothing does.
struct ResultLabel {
  std::string program;
  std::string machine;
};
std::vector<ResultLabel> result_labels(const std::vector<experiment::RunResult>& results);

// Energy has a chart for each set of coefficients, as two sets cannot be compared. Charts that
// would have no mark are left out.
std::vector<ReportFigure> comparison_figures(const std::vector<experiment::RunResult>& results);

}  // namespace raddle::report
