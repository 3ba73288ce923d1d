#include "report/page/report_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/number_format.h"
#include "report/charts/svg_axes.h"
#include "report/charts/svg_bar_chart.h"
#include "report/charts/svg_cdf_chart.h"
#include "report/charts/svg_roofline_chart.h"
#include "report/charts/svg_stacked_chart.h"
#include "report/figure_text.h"
#include "report/run_tables.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using experiment::RunTotals;
using machine::MemoryTraffic;
using machine::Share;

constexpr std::size_t kMaxKernels = 5;  // in a chart, beside the whole run
constexpr std::size_t kMaxParts = 7;
constexpr std::size_t kMaxBars = 12;
constexpr double kRowHeight = 32;
constexpr double kAxisHeight = 44;
constexpr double kTallChart = 300;
constexpr double kPicojoule = 1e-12;

ChartFrame frame_of(const std::string& title, double height) {
  return {.title = title,
          .width = kFigureWidth,
          .height = height,
          .standalone = false,
          .whole_legend = true};
}

double value_of(const std::vector<Share>& shares, const std::string& name) {
  const auto place = std::find_if(shares.begin(), shares.end(),
                                  [&](const Share& share) { return share.name == name; });
  return place == shares.end() ? 0 : place->value;
}

// The whole run and, where there are several, its largest kernels.
std::vector<NamedTotals> run_and_kernels(const RunResult& result) {
  std::vector<NamedTotals> rows{{"whole run", result.totals}};
  const std::vector<KernelTotals> kernels = kernel_totals(result);
  if (kernels.size() < 2) return rows;
  for (std::size_t i = 0; i < std::min(kernels.size(), kMaxKernels); ++i)
    rows.push_back({kernels[i].kernel, kernels[i].totals});
  return rows;
}

// Shares of the whole run and of its kernels, one bar each. The parts are those of the whole run.
std::string shares_svg(const RunResult& result, const SharesOf& shares, const std::string& title,
                       const ChartAxis& axis, double factor) {
  return stacked_shares_svg(run_and_kernels(result), shares, shares(result.totals), title, axis,
                            factor, kFigureWidth);
}

std::string bars_svg(const std::string& title, const ChartAxis& axis,
                     const std::vector<Share>& bars) {
  BarChart chart{.frame = frame_of(title, kAxisHeight + 24 * static_cast<double>(bars.size())),
                 .axes = {.values = axis, .horizontal = true},
                 .series = {{"", {}}}};
  for (const Share& bar : bars) {
    chart.axes.categories.push_back(bar.name);
    chart.series[0].values.push_back(bar.value);
  }
  return svg_of(chart);
}

// Where the machine meets its memory.
const MemoryTraffic* outer_memory(const std::vector<MemoryTraffic>& memory) {
  const auto found = std::ranges::find(memory, true, &MemoryTraffic::outermost);
  return found == memory.end() ? nullptr : &*found;
}

// A machine may execute without saying what it executed.
bool executed(const RunResult& result) { return result.totals.thread_instructions != 0; }

ChartPoint roofline_point(const NamedTotals& row) {
  const MemoryTraffic* memory = outer_memory(row.totals.memory);
  const auto instructions = static_cast<double>(row.totals.thread_instructions);
  const double bytes =
      memory == nullptr ? 0 : static_cast<double>(memory->bytes_read + memory->bytes_written);
  // Small programs find all that they need in the L2, where the host's copies left it.
  const bool no_traffic = memory != nullptr && bytes == 0;
  const double intensity =
      no_traffic ? std::numeric_limits<double>::infinity() : quotient(instructions, bytes);
  return {intensity, quotient(instructions, row.totals.seconds),
          no_traffic ? row.name + " (no traffic)" : row.name};
}

}  // namespace

std::vector<Share> cycle_shares(const RunTotals& totals) { return labelled(totals.stalls); }

std::string stacked_shares_svg(const std::vector<NamedTotals>& rows, const SharesOf& shares,
                               const std::vector<Share>& all_parts, const std::string& title,
                               const ChartAxis& axis, double factor, double width) {
  const std::vector<Share> parts = largest_parts(all_parts, kMaxParts);
  StackedChart chart{.frame = frame_of(title, 0),
                     .axes = {.values = axis, .horizontal = true},
                     .parts = {},
                     .as_shares = true};
  chart.frame.width = width;
  std::vector<std::string> names;
  for (const Share& part : parts) {
    names.push_back(part.name);
    chart.parts.push_back({part.name, {}});
  }
  for (const NamedTotals& row : rows) {
    chart.axes.categories.push_back(row.name);
    const std::vector<Share> own = shares(row.totals);
    double rest = sum_of(own);
    for (NamedValues& part : chart.parts) {
      const bool is_rest = part.name == "others";
      const double value = is_rest ? rest : value_of(own, part.name);
      rest -= value;
      part.values.push_back(std::max(0.0, value * factor));
    }
  }
  chart.frame.height = kAxisHeight + kRowHeight * static_cast<double>(rows.size()) +
                       legend_height(chart.frame, names, LegendMark::kBar);
  return svg_of(chart);
}

ReportFigure issue_slots_figure(const RunResult& result) {
  ReportFigure figure{.title = "Issue slots"};
  if (sum_of(result.totals.stalls) <= 0) {
    figure.note = fmt::format("Not modelled by {}: it does not say what its cycles are spent on.",
                              result.machine);
    return figure;
  }
  if (!has_warps(result.totals)) {
    figure.title = "Units' cycles";
    figure.note = "What the units of the grid spent their cycles on.";
    figure.svg = shares_svg(result, cycle_shares, "Units' cycles by what they were spent on",
                            {.title = "share of units' cycles", .unit = "cycles"}, 1);
    return figure;
  }
  figure.note =
      "What issue slots, in which a unit could have issued an instruction, were spent on.";
  figure.svg = shares_svg(result, cycle_shares, "Issue slots by what they were spent on",
                          {.title = "share of issue slots", .unit = "cycles"}, 1);
  return figure;
}

ReportFigure utilisation_figure(const RunResult& result) {
  ReportFigure figure{.title = "How busy the units were"};
  if (result.totals.utilisation.empty()) {
    figure.note = fmt::format("Not modelled by {}.", result.machine);
    return figure;
  }
  figure.note = "What each unit did, as a share of what it could have done in that time.";
  std::vector<Share> units;
  for (const machine::Utilisation& unit : result.totals.utilisation)
    units.push_back({unit.name, unit.share()});
  std::stable_sort(units.begin(), units.end(),
                   [](const Share& a, const Share& b) { return a.value > b.value; });
  units.resize(std::min(units.size(), kMaxBars));
  figure.svg = bars_svg("Utilisation of units",
                        {.title = "share of the unit's peak", .numbers = Numbers::kShare}, units);
  return figure;
}

ReportFigure memory_figure(const RunResult& result) {
  ReportFigure figure{.title = "Memory traffic"};
  StackedChart chart{
      .frame = frame_of("Memory traffic by level", 0),
      .axes = {.values = {.title = "bytes", .numbers = Numbers::kBytes}, .horizontal = true},
      .parts = {{"read", {}}, {"written", {}}}};
  bool has_caches = false;
  for (const MemoryTraffic& traffic : result.totals.memory) {
    if (traffic.bytes_read + traffic.bytes_written == 0) continue;
    const double hits = hit_rate(traffic);
    has_caches = has_caches || hits >= 0;
    chart.axes.categories.push_back(
        hits < 0 ? traffic.level : fmt::format("{}, {} hits", traffic.level, percent(hits)));
    chart.parts[0].values.push_back(static_cast<double>(traffic.bytes_read));
    chart.parts[1].values.push_back(static_cast<double>(traffic.bytes_written));
  }
  if (chart.axes.categories.empty()) {
    figure.note = executed(result)
                      ? fmt::format("Not counted by {}, or nothing was touched.", result.machine)
                      : "The run touched no memory.";
    return figure;
  }
  figure.note =
      has_caches ? "Bytes by address space and level; caches with the share of accesses that hit."
                 : "Bytes that threads read and wrote, by address space.";
  chart.frame.height = kAxisHeight +
                       kRowHeight * static_cast<double>(chart.axes.categories.size()) +
                       legend_height(chart.frame, {"read", "written"}, LegendMark::kBar);
  figure.svg = svg_of(chart);
  return figure;
}

ReportFigure energy_figure(const RunResult& result) {
  ReportFigure figure{.title = "Energy"};
  if (sum_of(result.totals.energy) <= 0) {
    figure.note = fmt::format("Not modelled by {}.", result.machine);
    return figure;
  }
  figure.note =
      fmt::format("{} in all, with the {} coefficients.",
                  picojoules_text(sum_of(result.totals.energy)), result.totals.energy_set);
  figure.svg = shares_svg(result, &RunTotals::energy, "Energy by part of the machine",
                          {.title = "share of the energy", .unit = "J", .numbers = Numbers::kSi},
                          kPicojoule);
  return figure;
}

ReportFigure instruction_figure(const RunResult& result) {
  ReportFigure figure{.title = "Instruction mix"};
  std::vector<Share> classes = instruction_classes(result);
  const double total = sum_of(classes);
  if (total <= 0) {
    figure.note = executed(result) ? fmt::format("Not counted by {}.", result.machine)
                                   : "No instruction was executed.";
    return figure;
  }
  figure.note = fmt::format("{} thread instructions by what they do.",
                            count_text(result.totals.thread_instructions));
  classes = largest_parts(classes, kMaxBars - 1);
  for (Share& share : classes) share.value /= total;
  figure.svg =
      bars_svg("Instruction mix",
               {.title = "share of thread instructions", .numbers = Numbers::kShare}, classes);
  return figure;
}

ReportFigure roofline_figure(const RunResult& result) {
  ReportFigure figure{.title = "Roofline"};
  const machine::Peaks& peaks = result.peaks;
  const double work = peaks.thread_instructions_per_cycle * peaks.clock_hz;
  if (work <= 0 || peaks.memory_bytes_per_second <= 0) {
    figure.note = fmt::format("Not drawn: {} has no model of its peak {}.", result.machine,
                              work <= 0 ? "speed" : "memory bandwidth");
    return figure;
  }
  RooflineChart chart{.frame = frame_of("Roofline", kTallChart),
                      .work = "thread instructions",
                      .work_per_second = work,
                      .bytes_per_second = peaks.memory_bytes_per_second,
                      .series = {{"", {}}}};
  for (const NamedTotals& row : run_and_kernels(result))
    chart.series[0].points.push_back(roofline_point(row));
  const MemoryTraffic* memory = outer_memory(result.totals.memory);
  figure.note = fmt::format(
      "Speed against instructions per byte of {}. On the slope memory limits, under the flat roof "
      "the machine's own speed.",
      memory == nullptr ? "memory traffic" : memory->level + " traffic");
  figure.svg = svg_of(chart);
  return figure;
}

std::vector<ReportFigure> histogram_figures(const RunResult& result) {
  std::vector<ReportFigure> figures;
  for (const machine::Histogram& histogram : result.totals.histograms) {
    if (histogram.bins.empty()) continue;
    std::string name = histogram.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    const std::string title = capitalised(name);
    CdfChart chart{.frame = frame_of(title, kTallChart),
                   .x = {.title = name, .unit = histogram.unit},
                   .what = "values",
                   .series = {{"", {}}}};
    for (const machine::HistogramBin& bin : histogram.bins)
      chart.series[0].samples.push_back({bin.value, static_cast<double>(bin.count)});
    figures.push_back(
        {.title = title, .note = capitalised(histogram.sentence) + ".", .svg = svg_of(chart)});
  }
  return figures;
}

}  // namespace raddle::report
