// The charts of a report, made from a result: what each is called, one sentence on how to read it,
// and the SVG; or, where the machine does not model it, a sentence that says so in its place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiment/run_result.h"
#include "report/charts/svg_scale.h"

namespace raddle::report {

struct ReportFigure {
  std::string title;
  std::string note = {};  // how to read it, or why there is none
  std::string svg = {};   // to stand in a page; empty: there is none
  bool wide = false;
};

ReportFigure issue_slots_figure(const experiment::RunResult& result);
ReportFigure utilisation_figure(const experiment::RunResult& result);
ReportFigure memory_figure(const experiment::RunResult& result);
ReportFigure energy_figure(const experiment::RunResult& result);
ReportFigure instruction_figure(const experiment::RunResult& result);
ReportFigure roofline_figure(const experiment::RunResult& result);
// One a histogram of the run.
std::vector<ReportFigure> histogram_figures(const experiment::RunResult& result);

// Bars of one length that show how each row's shares split; of `all_parts` the largest have a
// colour of their own.
struct NamedTotals {
  std::string name;
  experiment::RunTotals totals;
};
using SharesOf = std::function<std::vector<machine::Share>(const experiment::RunTotals&)>;
// The cycles of issuing units by what they were spent on.
std::vector<machine::Share> cycle_shares(const experiment::RunTotals& totals);
std::string stacked_shares_svg(const std::vector<NamedTotals>& rows, const SharesOf& shares,
                               const std::vector<machine::Share>& all_parts,
                               const std::string& title, const ChartAxis& axis, double factor,
                               double width);

// Pixels of a chart in a page; half a page, or the whole of it. Narrow enough that a phone need not
// make the type much smaller.
inline constexpr double kFigureWidth = 460;
inline constexpr double kWideFigureWidth = 940;

}  // namespace raddle::report
