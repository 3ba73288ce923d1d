// Charts over simulated time, of a run with --sample: what the issue slots were spent on, stacked,
// and the other series as lines, one chart a unit.
#pragma once

#include <vector>

#include "report/page/report_figures.h"

namespace raddle::report {

// None without samples.
std::vector<ReportFigure> sample_figures(const experiment::RunResult& result);

}  // namespace raddle::report
