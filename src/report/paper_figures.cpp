#include "report/paper_figures.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "report/svg_bar_chart.h"
#include "report/svg_cdf_chart.h"

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

// The runs' histograms as one distribution in which each run weighs the same, however much it
// counted.
Samples distribution(const PaperFigure::Line& line, MeasuredGroups& groups) {
  Samples all{line.name, {}};
  double counted = 0;
  double runs = 0;
  for (const RunResult& result : groups.results(line.group)) {
    const Histogram& histogram = histogram_of(result, line.histogram);
    const auto total = static_cast<double>(histogram.total());
    if (total == 0) continue;
    counted += total;
    ++runs;
    for (const machine::HistogramBin& bin : histogram.bins)
      all.samples.push_back({bin.value, static_cast<double>(bin.count) / total});
  }
  for (Sample& sample : all.samples) sample.weight *= counted / runs;
  return all;
}

std::string cdf_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  CdfChart chart;
  chart.frame.title = figure.title;
  chart.x.title = figure.x_title;
  chart.what = figure.y_title;
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
