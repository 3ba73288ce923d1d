#include "report/page/html_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number_format.h"
#include "report/bottleneck.h"
#include "report/charts/svg_text.h"
#include "report/figure_text.h"
#include "report/page/html_table.h"
#include "report/run_tables.h"
#include "report/text/fault_list.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using experiment::RunTotals;

constexpr std::size_t kMaxKernels = 500;
constexpr std::size_t kMaxLines = 200;
constexpr std::size_t kMaxFaults = 50;
constexpr std::size_t kMaxDetails = 64;
constexpr std::size_t kMaxCauses = 5;  // of stalls, in the table of lines

HtmlCell counted(std::uint64_t value) { return {count_text(value), static_cast<double>(value)}; }
HtmlCell waited(double cycles) {
  return {count_text(static_cast<std::uint64_t>(std::llround(cycles))), cycles};
}
HtmlCell timed(double seconds) { return {seconds_text(seconds), seconds}; }
HtmlCell shared(double share) { return {fmt::format("{:.1f} %", 100 * share), share}; }
HtmlCell absent() { return {kAbsent, -1}; }
HtmlCell occupied(const KernelTotals& row) {
  if (!has_occupancy(row)) return absent();
  const machine::Occupancy& occupancy = row.launch->occupancy;
  return {fmt::format("{:.1f} of {} ({})", occupancy.warps, occupancy.warps_limit,
                      occupancy.limited_by),
          occupancy.warps};
}

std::string titled(const std::string& title, const HtmlTable& table, std::size_t left_out) {
  std::string html = fmt::format("<h3 class=\"part\">{}</h3>\n{}", title, table.to_html());
  if (left_out != 0)
    html += fmt::format("<p class=\"quiet\">and {} more</p>\n", with_thousands(left_out));
  return html;
}

// Long tables that few will read are folded away.
std::string folded(const std::string& summary, const std::string& content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", summary, content);
}

std::string tile(const std::string& name, const std::string& value, const std::string& more) {
  return fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", name,
                     xml_escaped(value), xml_escaped(more));
}

// Whole numbers with thousands, others with four digits.
std::string figure_text(double value) {
  const bool is_whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return is_whole ? with_thousands(static_cast<std::int64_t>(value)) : fmt::format("{:.4g}", value);
}

// The columns of the stalls by line: the largest causes of all lines, and the rest as one.
std::vector<machine::Share> line_causes(const std::vector<machine::LineCost>& lines) {
  std::vector<machine::Share> causes;
  for (const machine::LineCost& line : lines) {
    for (const machine::Stall& stall : line.stalls) {
      const auto same = [&](const machine::Share& other) { return other.name == stall.name; };
      const auto place = std::find_if(causes.begin(), causes.end(), same);
      if (place == causes.end()) {
        causes.push_back({stall.name, stall.cycles});
      } else {
        place->value += stall.cycles;
      }
    }
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  return largest_parts(causes, kMaxCauses);
}

std::vector<double> by_cause(const machine::LineCost& line,
                             const std::vector<machine::Share>& causes) {
  std::vector<double> cycles(causes.size());
  for (const machine::Stall& stall : line.stalls) {
    const auto same = [&](const machine::Share& cause) { return cause.name == stall.name; };
    const auto place = std::find_if(causes.begin(), causes.end(), same);
    if (place != causes.end()) {
      cycles[static_cast<std::size_t>(place - causes.begin())] += stall.cycles;
    } else if (!cycles.empty()) {
      cycles.back() += stall.cycles;  // "others" is the last
    }
  }
  return cycles;
}

}  // namespace

std::string facts_html(const RunResult& result) {
  std::string html;
  if (result.partial) {
    html +=
        fmt::format("<p class=\"warn\">Partial: {}; figures cover the run up to that point.</p>\n",
                    xml_escaped(result.partial_reason.empty() ? "stopped before its end"
                                                              : result.partial_reason));
  }
  std::string facts;
  const auto add = [&facts](const std::string& text) {
    facts += (facts.empty() ? "" : " · ") + text;
  };
  if (!result.arguments.empty()) {
    std::string words;
    for (const std::string& word : result.arguments) words += (words.empty() ? "" : " ") + word;
    add(fmt::format("arguments <code>{}</code>", xml_escaped(words)));
  }
  add(fmt::format("machine <code>{}</code>{}", xml_escaped(result.machine),
                  result.machine == result.implementation
                      ? ""
                      : fmt::format(" (<code>{}</code>)", xml_escaped(result.implementation))));
  const std::string changed = changed_parameters(result);
  if (!changed.empty()) add(fmt::format("with <code>{}</code>", xml_escaped(changed)));
  add(fmt::format("parameters <code>{}</code>", xml_escaped(result.parameters_hash)));
  if (result.exit_status != 0) add(fmt::format("exit status {}", result.exit_status));
  add(fmt::format("Raddle {}", xml_escaped(result.raddle_version)));
  add(fmt::format("simulated in {} with {} of memory", seconds_text(result.host.wall_seconds),
                  byte_size(result.host.peak_memory_bytes)));
  return html + fmt::format("<p class=\"facts\">{}</p>\n", facts);
}

std::string tiles_html(const RunResult& result) {
  const RunTotals& totals = result.totals;
  const machine::Peaks& peaks = result.peaks;
  std::string html = "<dl class=\"tiles\">\n";
  html += tile("Cycles", count_text(totals.cycles),
               fmt::format("in {} {}", with_thousands(totals.launches),
                           totals.launches == 1 ? "launch" : "launches"));
  html += tile("Simulated time", seconds_text(totals.seconds),
               peaks.clock_hz > 0 ? fmt::format("at {}", si_scaled(peaks.clock_hz, "Hz")) : "");
  const double peak = peaks.thread_instructions_per_cycle;
  html += tile("IPC", fmt::format("{:.1f}", totals.ipc()),
               peak > 0 ? fmt::format("of {:g} ({})", peak, percent(totals.ipc() / peak))
                        : "thread instructions per cycle");
  const bool warps = has_warps(totals);
  html +=
      tile("Thread instructions", count_text(totals.thread_instructions),
           warps ? fmt::format("{} warp instructions", count_text(totals.warp_instructions)) : "");
  if (warps) {
    html += tile("Lanes active", percent(lanes_active(totals, warp_lanes(result))),
                 fmt::format("{} of {} branches diverge", count_text(totals.divergent_branches),
                             count_text(totals.branches)));
  }
  const std::vector<KernelTotals> kernels = kernel_totals(result);
  if (!kernels.empty() && has_occupancy(kernels[0])) {
    const machine::Occupancy& occupancy = kernels[0].launch->occupancy;
    html += tile(
        "Occupancy", fmt::format("{:.1f} of {}", occupancy.warps, occupancy.warps_limit),
        fmt::format("warps{}, limited by {}", kernels.size() == 1 ? "" : " of " + kernels[0].kernel,
                    occupancy.limited_by));
  }
  if (!kernels.empty() && kernels[0].fragments) {
    const machine::FragmentProgram& fragments = *kernels[0].fragments;
    html +=
        tile("Batches", fmt::format("{:.1f} of {}", fragments.resident_batches, fragments.contexts),
             fmt::format("resident, of {}; limited by {}", count_text(fragments.batches),
                         fragments.limited_by));
  }
  if (totals.energy.empty()) {
    html += tile("Energy", kAbsent, "not modelled");
  } else {
    const double joules = sum_of(totals.energy) * 1e-12;
    std::string more = totals.energy_set + " coefficients";
    if (totals.seconds > 0) more += ", " + si_scaled(joules / totals.seconds, "W");
    html += tile("Energy", picojoules_text(sum_of(totals.energy)), more);
  }
  return html + "</dl>\n";
}

std::string kernels_html(const RunResult& result) {
  const std::vector<KernelTotals> kernels = kernel_totals(result);
  if (kernels.empty()) return "<p>No kernel was launched.</p>\n";
  const bool has_waits = !result.totals.stalls.empty();
  const bool has_warps_resident = std::any_of(kernels.begin(), kernels.end(), has_occupancy);
  const bool grids = kernels.front().launch.has_value();
  const bool has_energy = !result.totals.energy.empty();
  std::vector<HtmlTable::Column> columns{{launched_heading(kernels)}, {"launches", true}};
  if (grids) columns.insert(columns.end(), {{"grid", true}, {"block", true}});
  columns.insert(columns.end(), {{"cycles", true},
                                 {"of all", true},
                                 {"time", true},
                                 {"thread instr", true},
                                 {"IPC", true},
                                 {"lanes", true}});
  if (has_waits) columns.push_back({"waits most for"});
  if (has_warps_resident) columns.push_back({"warps", true});
  if (has_energy) columns.push_back({"energy", true});
  HtmlTable table("Kernels", columns);
  for (std::size_t i = 0; i < std::min(kernels.size(), kMaxKernels); ++i) {
    const KernelTotals& row = kernels[i];
    const RunTotals& totals = row.totals;
    std::vector<HtmlCell> cells{{row.complete ? row.kernel : row.kernel + " (stopped)", {}, true},
                                counted(totals.launches)};
    if (grids) {
      for (const machine::Dim3& size : {row.launch->grid, row.launch->block})
        cells.push_back({dimensions(size), static_cast<double>(size.count())});
    }
    cells.insert(cells.end(), {counted(totals.cycles),
                               shared(quotient(static_cast<double>(totals.cycles),
                                               static_cast<double>(result.totals.cycles))),
                               timed(totals.seconds),
                               counted(totals.thread_instructions),
                               {fmt::format("{:.1f}", totals.ipc()), totals.ipc()},
                               shared(lanes_active(totals, warp_lanes(result)))});
    if (has_waits) cells.push_back({main_cause(totals.stalls)});
    if (has_warps_resident) cells.push_back(occupied(row));
    if (has_energy)
      cells.push_back({picojoules_text(sum_of(totals.energy)), sum_of(totals.energy)});
    table.add_row(std::move(cells));
  }
  return titled("Kernels", table, kernels.size() - std::min(kernels.size(), kMaxKernels));
}

std::string faults_html(const RunResult& result) {
  if (result.totals.fault_count == 0) return {};
  std::string html = fmt::format("<h3 class=\"part\">{} {}</h3>\n<ul class=\"faults\">\n",
                                 with_thousands(result.totals.fault_count),
                                 result.totals.fault_count == 1 ? "fault" : "faults");
  const std::vector<FaultGroup> groups = grouped_faults(result);
  std::uint64_t shown = 0;  // how often what is listed happened
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxFaults); ++i) {
    const auto& [launch, fault] = groups[i];
    shown += fault.count;
    html += fmt::format("<li>{}", xml_escaped(fault_sentence(launch, fault)));
    std::string details = quoted_source(fault, "");
    for (std::size_t d = 0; d < std::min(fault.details.size(), kMaxDetails); ++d)
      details += fault.details[d] + "\n";
    if (!details.empty()) html += fmt::format("<pre>{}</pre>", xml_escaped(details));
    html += "</li>\n";
  }
  if (result.totals.fault_count > shown)
    html +=
        fmt::format("<li>and {} more</li>\n", with_thousands(result.totals.fault_count - shown));
  return html + "</ul>\n";
}

std::string lines_html(const RunResult& result) {
  const std::vector<machine::LineCost> lines = line_totals(result);
  if (lines.empty()) return {};
  const bool waits = has_stalls(lines);
  const std::vector<machine::Share> causes = line_causes(lines);
  const bool warps = has_warps(lines);
  std::vector<HtmlTable::Column> columns{{"line"}, {"thread instr", true}, {"of all", true}};
  if (warps) columns.push_back({"warp instr", true});
  if (waits) columns.push_back({"stall cycles", true});
  for (const machine::Share& cause : causes) columns.push_back({cause.name, true});
  HtmlTable table("Cost by source line", columns);
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    const machine::LineCost& line = lines[i];
    std::vector<HtmlCell> cells{
        {line.location, {}, true},
        counted(line.thread_instructions),
        shared(quotient(static_cast<double>(line.thread_instructions),
                        static_cast<double>(result.totals.thread_instructions)))};
    if (warps) cells.push_back(counted(line.warp_instructions));
    if (waits) cells.push_back(waited(line.stall_cycles));
    for (const double cycles : by_cause(line, causes)) cells.push_back(waited(cycles));
    table.add_row(std::move(cells));
  }
  return titled("Source lines", table, lines.size() - std::min(lines.size(), kMaxLines));
}

std::string memory_html(const RunResult& result) {
  const MemoryTable memory = memory_levels(result);
  if (memory.levels.empty()) return {};
  std::vector<HtmlTable::Column> columns{{"memory"}};
  for (const MemoryColumn& column : memory.columns) columns.push_back({column.heading, true});
  HtmlTable table("Memory by level", columns);
  for (const machine::MemoryTraffic& traffic : memory.levels) {
    std::vector<HtmlCell> cells{{traffic.level}};
    for (const MemoryColumn& column : memory.columns) {
      const std::optional<double> value = column.value(traffic);
      cells.push_back(value ? HtmlCell{column.text(*value), value} : absent());
    }
    table.add_row(std::move(cells));
  }
  return titled("Memory", table, 0);
}

std::string parameters_html(const RunResult& result) {
  if (result.parameters.empty()) return {};
  HtmlTable table("Parameters of the machine",
                  {{"parameter"}, {"value", true}, {"unit"}, {"source"}});
  for (const machine::Parameter& parameter : result.parameters) {
    std::optional<double> number;
    if (const auto* whole = std::get_if<std::int64_t>(&parameter.value))
      number = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&parameter.value)) number = *real;
    table.add_row({{parameter.key, {}, true},
                   {number ? figure_text(*number) : machine::to_string(parameter.value), number},
                   {parameter.unit},
                   {parameter.overridden ? "changed for this run" : parameter.source}});
  }
  return folded(fmt::format("Parameters of {}, with their sources", xml_escaped(result.machine)),
                table.to_html());
}

std::string stats_html(const RunResult& result) {
  if (result.totals.stats.empty()) return {};
  HtmlTable table("Statistics of parts",
                  {{"part"}, {"statistic"}, {"value", true}, {"unit"}, {"what it counts"}});
  for (const sim::StatValue& stat : result.totals.stats) {
    table.add_row({{stat.component, {}, true},
                   {stat.name},
                   {figure_text(stat.value), stat.value},
                   {stat.unit},
                   {stat.sentence}});
  }
  return folded("Statistics of parts", table.to_html());
}

}  // namespace raddle::report
