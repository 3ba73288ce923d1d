// Every number of a result under one dotted name, with its unit and sentence: "cycles",
// "memory.global.bytes_read", "stall.barrier", "stat.L2.hits", as run_figure.h names them too. What
// the result store keeps, so that a question asked in SQL needs no knowledge of the document. Of
// histograms there is the total; their bins and the extensions of launches have tables of their
// own.
#pragma once

#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::experiment {

struct Figure {
  std::string name;
  std::string unit;
  std::string sentence;  // may be empty
  double value = 0;
};

std::vector<Figure> figures_of(const machine::LaunchResult& launch);
// Totals, copies, the machine's peaks, and what the simulation cost here.
std::vector<Figure> figures_of(const RunResult& result);

double total_of(const std::vector<machine::Share>& shares);

}  // namespace raddle::experiment
