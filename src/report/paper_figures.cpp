#include "report/paper_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "report/svg_bar_chart.h"
#include "report/svg_line_chart.h"

namespace raddle::report {

namespace {

using experiment::MeasuredGroups;
using experiment::PaperFigure;
using experiment::RunResult;
using machine::Histogram;

const Histogram& histogram_of(const RunResult& result, const std::string& name) {
  for (const Histogram& histogram : result.totals.histograms) {
    if (histogram.name == name) return histogram;
  }
  throw Error(fmt::format("{} on {} has no histogram '{}'", result.program, result.machine, name));
}

double share_within(const Histogram& histogram, double limit) {
  std::uint64_t count = 0;
  for (const machine::HistogramBin& bin : histogram.bins) {
    if (bin.value <= limit) count += bin.count;
  }
  return static_cast<double>(count) / static_cast<double>(histogram.total());
}

// The mean of the runs' distributions, as stairs: each run weighs the same, however much it
// counted.
PointSeries distribution(const PaperFigure::Line& line, MeasuredGroups& groups) {
  std::vector<const Histogram*> histograms;
  std::set<double> values;
  for (const RunResult& result : groups.results(line.group)) {
    const Histogram& histogram = histogram_of(result, line.histogram);
    if (histogram.total() == 0) continue;
    histograms.push_back(&histogram);
    for (const machine::HistogramBin& bin : histogram.bins) values.insert(bin.value);
  }
  PointSeries series{line.name, {}};
  double before = 0;
  for (const double value : values) {
    double share = 0;
    for (const Histogram* histogram : histograms) share += share_within(*histogram, value);
    share /= static_cast<double>(histograms.size());
    series.points.push_back({value, before});
    series.points.push_back({value, share});
    before = share;
  }
  return series;
}

std::string cdf_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  LineChart chart;
  chart.frame.title = figure.title;
  chart.axes.x.title = figure.x_title;
  chart.axes.y.title = figure.y_title;
  chart.axes.y.numbers = Numbers::kShare;
  chart.axes.y_from_zero = true;
  for (const PaperFigure::Line& line : figure.lines)
    chart.series.push_back(distribution(line, groups));
  return svg_of(chart);
}

std::string bars_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  BarChart chart;
  chart.frame.title = figure.title;
  chart.axes.values.title = figure.y_title;
  chart.axes.category_title = figure.x_title;
  const auto lookup = [&](std::span<const std::string> path) { return groups.figure(path); };
  for (const PaperFigure::Line& line : figure.lines) {
    const experiment::Series measured = experiment::evaluate(line.measure, lookup);
    if (chart.axes.categories.empty()) chart.axes.categories = measured.labels;
    chart.series.push_back({line.name, measured.values});
  }
  return svg_of(chart);
}

}  // namespace

std::string paper_figure_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  return figure.kind == experiment::FigureKind::kCdf ? cdf_svg(figure, groups)
                                                     : bars_svg(figure, groups);
}

void write_paper_figure(const PaperFigure& figure, MeasuredGroups& groups,
                        const std::string& file) {
  write_file_atomically(file, paper_figure_svg(figure, groups));
}

}  // namespace raddle::report
