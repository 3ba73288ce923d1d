#include "report/page/comparison_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "report/charts/svg_bar_chart.h"
#include "report/figure_text.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using experiment::RunTotals;
using machine::Share;

constexpr std::size_t kMaxSplits = 24;  // bars of one chart
constexpr double kAbsentValue = std::numeric_limits<double>::quiet_NaN();
constexpr double kLogarithmicFrom = 100;  // greatest over least value
constexpr std::size_t kNarrowBars = 12;   // more need the whole width
constexpr double kChartHeight = 280;
constexpr double kPicojoule = 1e-12;

using Figure = std::function<double(const RunResult&)>;

struct SplitFigure {
  std::string title, note;
  ChartAxis axis;
  double factor = 1;
  std::string set = {};  // energy: only results charged with these coefficients
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

// Programs across, machines as series; where there is only one program, machines across.
class Grid {
 public:
  explicit Grid(const std::vector<RunResult>& results) : results_(results) {
    labels_ = result_labels(results);
    for (const ResultLabel& label : labels_) {
      add_once(programs_, label.program);
      add_once(machines_, label.machine);
    }
  }

  const std::vector<std::string>& programs() const { return programs_; }
  const std::vector<std::string>& machines() const { return machines_; }

  double value(const std::string& program, const std::string& machine, const Figure& figure) const {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (labels_[i].program == program && labels_[i].machine == machine)
        return figure(results_[i]);
    }
    return kAbsentValue;
  }

  BarChart chart(const std::string& title, const ChartAxis& axis, const Figure& figure) const {
    BarChart chart{
        .frame = {.title = title, .standalone = false}, .axes = {.values = axis}, .series = {}};
    if (programs_.size() == 1) {
      chart.axes.categories = machines_;
      NamedValues& series = chart.series.emplace_back();
      for (const std::string& machine : machines_)
        series.values.push_back(value(programs_[0], machine, figure));
      return chart;
    }
    chart.axes.categories = programs_;
    for (const std::string& machine : machines_) {
      NamedValues& series = chart.series.emplace_back();
      series.name = machine;
      for (const std::string& program : programs_)
        series.values.push_back(value(program, machine, figure));
    }
    return chart;
  }

 private:
  const std::vector<RunResult>& results_;
  std::vector<ResultLabel> labels_;
  std::vector<std::string> programs_, machines_;
};

void add_figure(std::vector<ReportFigure>& figures, BarChart chart, const std::string& note,
                bool may_be_logarithmic) {
  Interval data;
  for (const NamedValues& series : chart.series) {
    for (const double value : series.values) {
      if (value > 0) data.add(chart.axes.values, value);
    }
  }
  if (data.empty()) return;
  chart.axes.values.logarithmic = may_be_logarithmic && data.high / data.low >= kLogarithmicFrom;
  if (chart.axes.values.logarithmic) chart.axes.values.title += ", logarithmic";
  const std::size_t bars = chart.axes.categories.size() * chart.series.size();
  ReportFigure& figure = figures.emplace_back();
  figure.title = chart.frame.title;
  figure.note = note;
  figure.wide = bars > kNarrowBars;
  chart.frame.width = figure.wide ? kWideFigureWidth : kFigureWidth;
  chart.frame.height = kChartHeight;
  figure.svg = svg_of(chart);
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0) continue;
    sum += std::log(value);
    ++count;
  }
  return count == 0 ? kAbsentValue : std::exp(sum / count);
}

// Time on the first machine over time on each. The first stands beside the others, so that a
// machine has the same colour in every chart.
void add_speed_up(std::vector<ReportFigure>& figures, const Grid& grid) {
  if (grid.machines().size() < 2) return;
  const std::string& first = grid.machines()[0];
  const auto seconds = [](const RunResult& result) {
    return result.partial ? kAbsentValue
                          : result.totals.seconds;  // half a run is not twice as fast
  };
  const ChartAxis axis{.title = fmt::format("times as fast as {}", first),
                       .numbers = Numbers::kPlain};
  BarChart chart = grid.chart(fmt::format("Speed-up over {}", first), axis, seconds);
  const bool several = grid.programs().size() > 1;
  std::vector<double> base;
  for (const std::string& program : grid.programs())
    base.push_back(grid.value(program, first, seconds));
  for (NamedValues& series : chart.series) {
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const double time = series.values[i];
      const double first_time = base[several ? i : 0];
      series.values[i] = time > 0 && first_time > 0 ? first_time / time : kAbsentValue;
    }
    if (several) series.values.push_back(geometric_mean(series.values));
  }
  if (several) chart.axes.categories.emplace_back("geometric mean");
  add_figure(figures, std::move(chart), "By simulated time; above 1 is faster.", false);
}

// How the results split something up, one bar each; nothing where none of them does. Parts keep the
// order in which results name them.
void add_split(std::vector<ReportFigure>& figures, const std::vector<RunResult>& results,
               const SharesOf& shares, const SplitFigure& split) {
  const std::vector<ResultLabel> labels = result_labels(results);
  std::vector<NamedTotals> rows;
  std::vector<Share> parts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<Share> own = shares(results[i].totals);
    const double total = sum_of(own);
    if (total <= 0 || (!split.set.empty() && results[i].totals.energy_set != split.set)) continue;
    rows.push_back(
        {fmt::format("{}, {}", labels[i].program, labels[i].machine), results[i].totals});
    for (const Share& share : own) {
      const auto place = std::find_if(parts.begin(), parts.end(),
                                      [&](const Share& part) { return part.name == share.name; });
      Share& part = place == parts.end() ? parts.emplace_back(Share{share.name, 0}) : *place;
      part.value += share.value / total;  // a long run says no more than a short one
    }
  }
  if (rows.empty() || rows.size() > kMaxSplits) return;
  const bool one_program = std::all_of(labels.begin(), labels.end(), [&](const ResultLabel& label) {
    return label.program == labels[0].program;
  });
  for (NamedTotals& row : rows) {
    if (one_program) row.name.erase(0, labels[0].program.size() + 2);
  }
  ReportFigure& figure = figures.emplace_back();
  figure.title = split.title;
  figure.note = split.note;
  figure.wide = rows.size() * 2 > kNarrowBars;
  figure.svg = stacked_shares_svg(rows, shares, parts, split.title, split.axis, split.factor,
                                  figure.wide ? kWideFigureWidth : kFigureWidth);
}

// Some machines have issue slots, others units that fire.
SplitFigure slots_figure(const std::vector<RunResult>& results) {
  bool warps = false, units = false;
  for (const RunResult& result : results) {
    if (sum_of(result.totals.stalls) > 0) (has_warps(result.totals) ? warps : units) = true;
  }
  if (!units) {
    return {
        .title = "Issue slots",
        .note =
            "What issue slots, in which a unit could have issued an instruction, were spent on.",
        .axis = {.title = "share of issue slots", .unit = "cycles"}};
  }
  if (!warps) {
    return {.title = "Units' cycles",
            .note = "What the units of the grid spent their cycles on.",
            .axis = {.title = "share of units' cycles", .unit = "cycles"}};
  }
  return {.title = "Issue slots and units' cycles",
          .note =
              "What issue slots were spent on, and on machines without warps the cycles of the "
              "grid's units.",
          .axis = {.title = "share of issue slots or units' cycles", .unit = "cycles"}};
}

}  // namespace

std::vector<ResultLabel> result_labels(const std::vector<RunResult>& results) {
  // Names that stand for more than one thing among these results.
  std::map<std::string, std::set<std::string>> paths, arguments, parameters;
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  for (const RunResult& result : results) {
    paths[file_name(result.program)].insert(result.program);
    arguments[result.program].insert(joined(result.arguments));
    parameters[result.machine].insert(result.parameters_hash);
  }
  std::vector<ResultLabel> labels;
  std::map<std::pair<std::string, std::string>, int> seen;
  for (const RunResult& result : results) {
    ResultLabel label{file_name(result.program), file_name(result.machine)};
    if (paths[label.program].size() > 1 || label.program.empty()) label.program = result.program;
    if (arguments[result.program].size() > 1) label.program += joined(result.arguments);
    const std::string changed = changed_parameters(result);
    if (parameters[result.machine].size() > 1 && !changed.empty())
      label.machine += fmt::format(" ({})", changed);
    const int times = ++seen[{label.program, label.machine}];
    if (times > 1) label.machine += fmt::format(" #{}", times);
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<ReportFigure> comparison_figures(const std::vector<RunResult>& results) {
  const Grid grid(results);
  std::vector<ReportFigure> figures;
  const auto cycles = [](const RunResult& result) {
    return static_cast<double>(result.totals.cycles);
  };
  add_figure(figures, grid.chart("Cycles", {.title = "cycles"}, cycles),
             "Machines may have different clocks; compare time.", true);
  const auto seconds = [](const RunResult& result) { return result.totals.seconds; };
  add_figure(figures,
             grid.chart("Simulated time",
                        {.title = "simulated time", .unit = "s", .numbers = Numbers::kSi}, seconds),
             "Cycles over the machine's clock.", true);
  add_speed_up(figures, grid);
  const auto ipc = [](const RunResult& result) { return result.totals.ipc(); };
  add_figure(
      figures,
      grid.chart("IPC", {.title = "thread instructions per cycle", .numbers = Numbers::kPlain},
                 ipc),
      "Thread instructions per cycle of the machine.", false);
  add_split(figures, results, cycle_shares, slots_figure(results));
  std::vector<std::string> sets;
  for (const RunResult& result : results) {
    if (!result.totals.energy.empty()) add_once(sets, result.totals.energy_set);
  }
  for (const std::string& set : sets) {
    const auto energy = [&set](const RunResult& result) {
      const bool is_charged = !result.totals.energy.empty() && result.totals.energy_set == set;
      return is_charged ? sum_of(result.totals.energy) * kPicojoule : kAbsentValue;
    };
    add_figure(
        figures,
        grid.chart("Energy", {.title = "energy", .unit = "J", .numbers = Numbers::kSi}, energy),
        fmt::format("With the {} coefficients; a dash where they do not apply.", set), true);
    add_split(
        figures, results, &RunTotals::energy,
        {.title = "Energy by part",
         .note = fmt::format("How each result's energy splits, with the {} coefficients.", set),
         .axis = {.title = "share of the energy", .unit = "J", .numbers = Numbers::kSi},
         .factor = kPicojoule,
         .set = set});
  }
  return figures;
}

}  // namespace raddle::report
