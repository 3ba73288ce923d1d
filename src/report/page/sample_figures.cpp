#include "report/page/sample_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_format.h"
#include "report/charts/svg_line_chart.h"
#include "report/charts/svg_stacked_chart.h"
#include "report/figure_text.h"
#include "report/sample_timeline.h"

namespace raddle::report {

namespace {

using machine::SampleSeries;

constexpr double kHeight = 240;
constexpr std::size_t kMaxBars = 120;
constexpr std::size_t kMaxPoints = 450;  // two pixels each
constexpr std::size_t kMaxLines = 8;     // as many as there are colours
constexpr std::string_view kShare = "ratio";

bool is_slots(const SampleSeries& series) { return series.kind.has_value(); }

ChartFrame frame_of(const std::string& title) {
  return {.title = title, .width = kWideFigureWidth, .height = kHeight, .standalone = false};
}

std::string how_often(const SampleTimeline& timeline, std::size_t most) {
  std::string text;
  if (timeline.sample_cycles != 0)
    text = fmt::format(" One sample every {} cycles", with_thousands(timeline.sample_cycles));
  if (timeline.steps.size() > most) text += text.empty() ? " Averaged to fit" : ", averaged to fit";
  return text.empty() ? text : text + ".";
}

// "12.5" and, for all of them, "µs".
struct TimeUnit {
  double seconds = 1;
  const char* name = "s";
};

TimeUnit unit_for(double seconds) {
  constexpr TimeUnit kUnits[]{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  for (const TimeUnit& unit : kUnits) {
    if (seconds >= unit.seconds) return unit;
  }
  return {1e-12, "ps"};
}

ReportFigure slots_figure(const SampleTimeline& all) {
  const SampleTimeline timeline = thinned(all, kMaxBars);
  ReportFigure figure{.title = "Issue slots over time", .wide = true};
  figure.note = "What the slots were spent on, as the run went on." + how_often(all, kMaxBars);
  const TimeUnit unit = unit_for(timeline.end());
  StackedChart chart{
      .frame = frame_of(figure.title),
      .axes = {.values = {.title = "share of issue slots", .numbers = Numbers::kShare},
               .category_title = fmt::format("simulated time ({})", unit.name)},
      .parts = {},
      .as_shares = true,
      .continuous = true};
  for (const SampleTimeline::Step& step : timeline.steps)
    chart.axes.categories.push_back(fmt::format("{:.3g}", step.begin / unit.seconds));
  for (const SampleSeries& series : timeline.series) {
    if (is_slots(series))
      chart.parts.push_back({label_of({series.name, *series.kind}), series.values});
  }
  figure.svg = svg_of(chart);
  return figure;
}

ChartAxis axis_of(const std::string& unit) {
  if (unit == kShare) return {.title = "share", .numbers = Numbers::kShare};
  if (unit == "bytes") return {.title = unit, .numbers = Numbers::kBytes};
  if (unit == "bytes per second")
    return {.title = "bandwidth", .unit = "B/s", .numbers = Numbers::kSi};
  return {.title = unit};
}

std::string lines_title(const std::string& unit, const std::vector<const SampleSeries*>& group) {
  if (group.size() == 1) return capitalised(group[0]->name) + " over time";
  if (unit == kShare) return "Shares over time";
  return capitalised(unit) + " over time";
}

std::string lines_note(const std::vector<const SampleSeries*>& group) {
  if (group.size() == 1) return capitalised(group[0]->sentence) + ".";
  std::string text;
  for (const SampleSeries* series : group)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", series->name, series->sentence);
  return capitalised(text) + ".";
}

double largest(const SampleSeries& series) {
  double most = 0;
  for (const double value : series.values) {
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  }
  return most;
}

ReportFigure lines_figure(const SampleTimeline& timeline, const std::string& unit,
                          std::vector<const SampleSeries*> group) {
  ReportFigure figure{.title = lines_title(unit, group), .wide = true};
  std::size_t left_out = 0;
  if (group.size() > kMaxLines) {
    left_out = group.size() - kMaxLines;
    std::stable_sort(group.begin(), group.end(),
                     [](const auto* a, const auto* b) { return largest(*a) > largest(*b); });
    group.resize(kMaxLines);
  }
  figure.note = lines_note(group);
  if (left_out != 0) figure.note += fmt::format(" {} smaller ones are not drawn.", left_out);
  LineChart chart{.frame = frame_of(figure.title),
                  .axes = {.x = {.title = "simulated time", .unit = "s", .numbers = Numbers::kSi},
                           .y = axis_of(unit),
                           .y_from_zero = true},
                  .series = {}};
  for (const SampleSeries* series : group) {
    PointSeries& line = chart.series.emplace_back(PointSeries{series->name, {}});
    for (std::size_t i = 0; i < timeline.steps.size(); ++i)
      line.points.push_back({timeline.steps[i].middle(), series->values[i]});
  }
  figure.svg = svg_of(chart);
  return figure;
}

}  // namespace

std::vector<ReportFigure> sample_figures(const experiment::RunResult& result) {
  const SampleTimeline all = sample_timeline(result);
  std::vector<ReportFigure> figures;
  if (std::any_of(all.series.begin(), all.series.end(), is_slots))
    figures.push_back(slots_figure(all));
  const SampleTimeline timeline = thinned(all, kMaxPoints);
  std::vector<std::string> units;
  for (const SampleSeries& series : timeline.series) {
    if (is_slots(series) || std::find(units.begin(), units.end(), series.unit) != units.end())
      continue;
    units.push_back(series.unit);
  }
  for (const std::string& unit : units) {
    std::vector<const SampleSeries*> group;
    for (const SampleSeries& series : timeline.series) {
      if (series.unit == unit && !is_slots(series)) group.push_back(&series);
    }
    figures.push_back(lines_figure(timeline, unit, std::move(group)));
    figures.back().note += how_often(all, kMaxPoints);
  }
  return figures;
}

}  // namespace raddle::report
