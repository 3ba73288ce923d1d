#include "report/text/summary_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/bottleneck.h"
#include "report/figure_text.h"
#include "report/run_tables.h"

namespace raddle::report {

namespace {

using experiment::RunResult;

constexpr std::size_t kMaxKernels = 8;
constexpr std::size_t kMaxLines = 12;
constexpr std::size_t kMaxLocation = 29;       // what the other columns leave
constexpr std::size_t kLocationAndCause = 49;  // … where lines also say what they waited for

// Without as many leading folders as it takes: the end, with the line's number, is what matters.
std::string short_location(std::string_view location, std::size_t room) {
  std::string_view end = location;
  for (std::size_t slash = end.find('/');
       display_width(end) > room && slash != std::string_view::npos; slash = end.find('/'))
    end.remove_prefix(slash + 1);
  return std::string(end);
}

std::size_t room_for_location(std::span<const machine::LineCost> lines) {
  std::size_t widest = 0;
  for (const machine::LineCost& line : lines)
    widest = std::max(widest, display_width(main_cause(line.stalls)));
  return std::min(kMaxLocation, kLocationAndCause - std::min(widest, kLocationAndCause));
}

std::size_t rows_of(Extent extent, std::size_t all, std::size_t most) {
  return extent == Extent::kAll ? all : std::min(all, most);
}

}  // namespace

std::string kernel_table(const RunResult& result, Extent extent) {
  const std::vector<KernelTotals> rows = kernel_totals(result);
  if (rows.empty()) return "\nno kernel was launched\n";
  const bool warps = has_warps(result.totals);
  const bool grids = rows.front().launch.has_value();
  std::vector<std::string> headings{launched_heading(rows), "launches"};
  if (grids) headings.insert(headings.end(), {"grid", "block"});
  headings.emplace_back("thread instr");
  if (warps) headings.emplace_back("warp instr");
  headings.insert(headings.end(), {"cycles", "IPC"});
  if (warps) headings.emplace_back("lanes active");
  TextTable table(headings);
  const std::size_t shown = rows_of(extent, rows.size(), kMaxKernels);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelTotals& row = rows[i];
    std::vector<std::string> cells{row.complete ? row.kernel : row.kernel + " (stopped)",
                                   with_thousands(row.totals.launches)};
    if (grids) {
      cells.push_back(dimensions(row.launch->grid));
      cells.push_back(dimensions(row.launch->block));
    }
    cells.push_back(count_text(row.totals.thread_instructions));
    if (warps) cells.push_back(count_text(row.totals.warp_instructions));
    cells.push_back(count_text(row.totals.cycles));
    cells.push_back(fmt::format("{:.1f}", row.totals.ipc()));
    if (warps)
      cells.push_back(fmt::format("{:.1f} %", 100 * lanes_active(row.totals, warp_lanes(result))));
    table.add_row(std::move(cells));
  }
  std::string text = "\n" + table.to_string();
  if (rows.size() > shown) text += fmt::format("and {} more\n", rows.size() - shown);
  return text;
}

std::string memory_table(const RunResult& result) {
  const MemoryTable memory = memory_levels(result);
  if (memory.levels.empty()) return {};
  std::vector<std::string> headings{"memory"};
  for (const MemoryColumn& column : memory.columns) headings.emplace_back(column.heading);
  TextTable table(headings);
  for (const machine::MemoryTraffic& traffic : memory.levels) {
    std::vector<std::string> cells{traffic.level};
    for (const MemoryColumn& column : memory.columns) {
      const std::optional<double> value = column.value(traffic);
      cells.push_back(value ? column.text(*value) : kAbsent);
    }
    table.add_row(std::move(cells));
  }
  return "\n" + table.to_string();
}

std::string line_table(const RunResult& result, Extent extent) {
  const std::vector<machine::LineCost> lines = line_totals(result);
  if (lines.empty()) return {};
  const bool waits = has_stalls(lines);
  const bool warps = has_warps(lines);
  std::vector<std::string> headings{"line", "thread instr"};
  if (warps) headings.emplace_back("warp instr");
  headings.emplace_back("share");
  if (waits) headings.insert(headings.end(), {"stall cycles", "mostly for"});
  TextTable table(headings);
  const std::span<const machine::LineCost> shown(lines.data(),
                                                 rows_of(extent, lines.size(), kMaxLines));
  const std::size_t room = waits ? room_for_location(shown) : kMaxLocation;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double share = quotient(static_cast<double>(lines[i].thread_instructions),
                                  static_cast<double>(result.totals.thread_instructions));
    std::vector<std::string> cells{short_location(lines[i].location, room),
                                   count_text(lines[i].thread_instructions)};
    if (warps) cells.push_back(count_text(lines[i].warp_instructions));
    cells.push_back(fmt::format("{:.1f} %", 100 * share));
    if (waits) {
      cells.push_back(count_text(static_cast<std::uint64_t>(std::llround(lines[i].stall_cycles))));
      cells.push_back(main_cause(lines[i].stalls));
    }
    table.add_row(std::move(cells));
  }
  return "\n" + table.to_string();
}

}  // namespace raddle::report
