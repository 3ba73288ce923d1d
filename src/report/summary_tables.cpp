#include "report/summary_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/figure_text.h"
#include "report/run_tables.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using machine::MemoryTraffic;

constexpr std::size_t kMaxKernels = 8;
constexpr std::size_t kMaxLines = 12;

// One column of the memory table: its heading and the cell of a level, empty where it says nothing.
struct MemoryColumn {
  const char* heading;
  std::string (*cell)(const MemoryTraffic&);
};

std::string accesses(std::uint64_t value) { return value == 0 ? "" : count_text(value); }

std::string segments_cell(const MemoryTraffic& traffic) {
  const std::uint64_t instructions =
      traffic.load_instructions + traffic.store_instructions + traffic.atomic_instructions;
  if (traffic.segments == 0 || instructions == 0) return "";
  return fmt::format("{:.2f}",
                     static_cast<double>(traffic.segments) / static_cast<double>(instructions));
}

std::string conflicts_cell(const MemoryTraffic& traffic) {
  return traffic.level == "shared" ? count_text(traffic.bank_conflicts) : "";
}

std::string hit_rate_cell(const MemoryTraffic& traffic) {
  return hit_rate(traffic) < 0 ? "" : fmt::format("{:.1f} %", 100 * hit_rate(traffic));
}

constexpr MemoryColumn kMemoryColumns[]{
    {"loads", [](const MemoryTraffic& traffic) { return accesses(traffic.load_accesses); }},
    {"stores", [](const MemoryTraffic& traffic) { return accesses(traffic.store_accesses); }},
    {"atomics", [](const MemoryTraffic& traffic) { return accesses(traffic.atomic_accesses); }},
    {"read", [](const MemoryTraffic& traffic) { return byte_size(traffic.bytes_read); }},
    {"written", [](const MemoryTraffic& traffic) { return byte_size(traffic.bytes_written); }},
    {"hit rate", hit_rate_cell},
    {"segments/access", segments_cell},
    {"bank conflicts", conflicts_cell},
};

bool says_something(const MemoryTraffic& traffic) {
  return traffic.load_instructions + traffic.store_instructions + traffic.atomic_instructions +
             traffic.bytes_read + traffic.bytes_written + traffic.hits + traffic.misses !=
         0;
}

}  // namespace

std::string kernel_table(const RunResult& result) {
  const std::vector<KernelTotals> rows = kernel_totals(result);
  if (rows.empty()) return "\nno kernel was launched\n";
  TextTable table({"kernel", "launches", "grid", "block", "thread instr", "warp instr", "cycles",
                   "IPC", "lanes active"});
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxKernels); ++i) {
    const KernelTotals& row = rows[i];
    table.add_row({row.complete ? row.kernel : row.kernel + " (stopped)",
                   with_thousands(row.totals.launches), dimensions(row.grid), dimensions(row.block),
                   count_text(row.totals.thread_instructions),
                   count_text(row.totals.warp_instructions), count_text(row.totals.cycles),
                   fmt::format("{:.1f}", row.totals.ipc()),
                   fmt::format("{:.1f} %", 100 * lanes_active(row.totals))});
  }
  std::string text = "\n" + table.to_string();
  if (rows.size() > kMaxKernels) text += fmt::format("and {} more\n", rows.size() - kMaxKernels);
  return text;
}

std::string memory_table(const RunResult& result) {
  std::vector<const MemoryTraffic*> levels;
  for (const MemoryTraffic& traffic : result.totals.memory) {
    if (says_something(traffic)) levels.push_back(&traffic);
  }
  if (levels.empty()) return {};
  std::vector<const MemoryColumn*> columns;
  std::vector<std::string> headings{"memory"};
  for (const MemoryColumn& column : kMemoryColumns) {
    const bool used = std::any_of(levels.begin(), levels.end(), [&](const MemoryTraffic* traffic) {
      return !column.cell(*traffic).empty();
    });
    if (!used) continue;
    columns.push_back(&column);
    headings.emplace_back(column.heading);
  }
  TextTable table(headings);
  for (const MemoryTraffic* traffic : levels) {
    std::vector<std::string> cells{traffic->level};
    for (const MemoryColumn* column : columns) {
      std::string cell = column->cell(*traffic);
      cells.push_back(cell.empty() ? kAbsent : std::move(cell));
    }
    table.add_row(std::move(cells));
  }
  return "\n" + table.to_string();
}

std::string line_table(const RunResult& result) {
  const std::vector<machine::LineCost> lines = line_totals(result);
  if (lines.empty()) return {};
  TextTable table({"line", "thread instr", "warp instr", "share"});
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    const double share = quotient(static_cast<double>(lines[i].thread_instructions),
                                  static_cast<double>(result.totals.thread_instructions));
    table.add_row({lines[i].location, count_text(lines[i].thread_instructions),
                   count_text(lines[i].warp_instructions), fmt::format("{:.1f} %", 100 * share)});
  }
  return "\n" + table.to_string();
}

}  // namespace raddle::report
