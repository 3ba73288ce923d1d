#include "report/page/paper_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/atomic_file.h"
#include "base/error.h"
#include "report/charts/svg_bar_chart.h"
#include "report/charts/svg_cdf_chart.h"
#include "report/charts/svg_line_chart.h"
#include "report/charts/svg_stacked_chart.h"

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

BandAxes band_axes(const PaperFigure& figure) {
  BandAxes axes;
  axes.values.title = figure.y_title;
  axes.category_title = figure.x_title;
  return axes;
}

// A series for each line of the figure; the first names the categories.
std::vector<NamedValues> values_of(const PaperFigure& figure, MeasuredGroups& groups,
                                   BandAxes& axes) {
  std::vector<NamedValues> series;
  for (const PaperFigure::Line& line : figure.lines) {
    const experiment::Series values = groups.evaluate(line.measure);
    if (axes.categories.empty()) axes.categories = values.labels;
    series.push_back({line.name, values.values});
  }
  return series;
}

std::string bars_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  BarChart chart;
  chart.frame.title = figure.title;
  chart.axes = band_axes(figure);
  chart.series = values_of(figure, groups, chart.axes);
  return svg_of(chart);
}

std::string stacked_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  StackedChart chart;
  chart.frame.title = figure.title;
  chart.axes = band_axes(figure);
  chart.axes.horizontal = true;  // names of many runs need room
  chart.parts = values_of(figure, groups, chart.axes);
  chart.as_shares = true;
  // Room for every name.
  constexpr double kRow = 18, kAround = 110;
  chart.frame.height = std::max(chart.frame.height,
                                kAround + kRow * static_cast<double>(chart.axes.categories.size()));
  return svg_of(chart);
}

std::string lines_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  LineChart chart;
  chart.frame.title = figure.title;
  chart.axes.x.title = figure.x_title;
  chart.axes.y.title = figure.y_title;
  chart.axes.x.logarithmic = chart.axes.y.logarithmic = figure.logarithmic;
  chart.axes.y_from_zero = !figure.logarithmic;
  for (const PaperFigure::Line& line : figure.lines) {
    const experiment::Series x = groups.evaluate(line.x);
    const experiment::Series y = groups.evaluate(line.measure);
    if (x.values.size() != y.values.size()) {
      throw Error(fmt::format("{}: line '{}' has {} values at {} places", figure.id, line.name,
                              y.values.size(), x.values.size()));
    }
    PointSeries series{line.name, {}};
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      series.points.push_back({x.values[i], y.values[i]});
    }
    chart.series.push_back(std::move(series));
  }
  return svg_of(chart);
}

}  // namespace

std::string paper_figure_svg(const PaperFigure& figure, MeasuredGroups& groups) {
  switch (figure.kind) {
    case experiment::FigureKind::kCdf: return cdf_svg(figure, groups);
    case experiment::FigureKind::kBars: return bars_svg(figure, groups);
    case experiment::FigureKind::kStacked: return stacked_svg(figure, groups);
    case experiment::FigureKind::kLines: return lines_svg(figure, groups);
  }
  return {};
}

void write_paper_figure(const PaperFigure& figure, MeasuredGroups& groups,
                        const std::string& file) {
  write_file_atomically(file, paper_figure_svg(figure, groups));
}

}  // namespace raddle::report
