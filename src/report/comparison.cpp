#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/figure_text.h"
#include "report/text_style.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using machine::MemoryTraffic;

// A figure of a run, or nothing where the machine does not model it.
struct Row {
  std::string name;
  std::function<std::optional<double>(const RunResult&)> value;
  std::function<std::string(double)> text;
};

std::string whole(double value) { return with_thousands(static_cast<std::uint64_t>(value)); }
std::string decimal(double value) { return fmt::format("{:.2f}", value); }
std::string bytes(double value) { return byte_size(static_cast<std::uint64_t>(value)); }

// Sets of coefficients are never mixed: each is a row of its own.
Row energy_row(const std::string& set) {
  const auto value = [set](const RunResult& result) -> std::optional<double> {
    if (result.totals.energy.empty() || result.totals.energy_set != set) return std::nullopt;
    return sum_of(result.totals.energy);
  };
  return {set.empty() ? "energy" : fmt::format("energy ({})", set), value, picojoules_text};
}

// What `names_of` gives for the results, each once, in order of appearance.
template <class Names>
std::vector<std::string> distinct(const std::vector<RunResult>& results, Names names_of) {
  std::vector<std::string> all;
  for (const RunResult& result : results) {
    for (const std::string& name : names_of(result)) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

const MemoryTraffic* find_level(const RunResult& result, const std::string& level) {
  for (const MemoryTraffic& traffic : result.totals.memory) {
    if (traffic.level == level) return &traffic;
  }
  return nullptr;
}

Row memory_row(const std::string& level, const char* what, std::uint64_t MemoryTraffic::* figure,
               std::string (*text)(double)) {
  const auto value = [level, figure](const RunResult& result) -> std::optional<double> {
    const MemoryTraffic* traffic = find_level(result, level);
    if (traffic == nullptr) return std::nullopt;
    return static_cast<double>(traffic->*figure);
  };
  return {fmt::format("{} {}", level, what), value, text};
}

Row hit_rate_row(const std::string& level) {
  const auto value = [level](const RunResult& result) -> std::optional<double> {
    const MemoryTraffic* traffic = find_level(result, level);
    if (traffic == nullptr || hit_rate(*traffic) < 0) return std::nullopt;
    return hit_rate(*traffic);
  };
  return {level + " hit rate", value,
          [](double share) { return fmt::format("{:.1f} %", 100 * share); }};
}

template <typename Figure>
Row total_row(const char* name, Figure experiment::RunTotals::* figure,
              std::string (*text)(double)) {
  return {name,
          [figure](const RunResult& result) -> std::optional<double> {
            return static_cast<double>(result.totals.*figure);
          },
          text};
}

std::vector<Row> all_rows(const std::vector<RunResult>& results) {
  using experiment::RunTotals;
  std::vector<Row> rows;
  rows.push_back(total_row("launches", &RunTotals::launches, whole));
  rows.push_back(total_row("cycles", &RunTotals::cycles, whole));
  rows.push_back(total_row("simulated time", &RunTotals::seconds, seconds_text));
  rows.push_back(total_row("thread instructions", &RunTotals::thread_instructions, whole));
  rows.push_back(total_row("warp instructions", &RunTotals::warp_instructions, whole));
  rows.push_back(
      {"thread instructions per cycle",
       [](const RunResult& result) -> std::optional<double> { return result.totals.ipc(); },
       decimal});
  rows.push_back(total_row("divergent branches", &RunTotals::divergent_branches, whole));
  rows.push_back(total_row("barrier arrivals", &RunTotals::barriers, whole));
  const auto levels = distinct(results, [](const RunResult& result) {
    std::vector<std::string> names;
    for (const MemoryTraffic& traffic : result.totals.memory) names.push_back(traffic.level);
    return names;
  });
  for (const std::string& level : levels) {
    rows.push_back(memory_row(level, "bytes read", &MemoryTraffic::bytes_read, bytes));
    rows.push_back(memory_row(level, "bytes written", &MemoryTraffic::bytes_written, bytes));
    rows.push_back(hit_rate_row(level));
    rows.push_back(memory_row(level, "segments", &MemoryTraffic::segments, whole));
    rows.push_back(memory_row(level, "bank conflicts", &MemoryTraffic::bank_conflicts, whole));
  }
  const auto sets = distinct(results, [](const RunResult& result) {
    return std::vector<std::string>{result.totals.energy_set};
  });
  for (const std::string& set : sets) rows.push_back(energy_row(set));
  rows.push_back(total_row("faults", &RunTotals::fault_count, whole));
  return rows;
}

// Rows that are zero or absent everywhere say nothing.
bool says_something(const Row& row, const std::vector<RunResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [&](const RunResult& result) { return row.value(result).value_or(0) != 0; });
}

bool same_program(const std::vector<RunResult>& results) {
  return std::all_of(results.begin(), results.end(),
                     [&](const RunResult& result) { return result.program == results[0].program; });
}

std::string column_title(const RunResult& result, bool with_program) {
  std::string title =
      with_program ? fmt::format("{} on {}", result.program, result.machine) : result.machine;
  return result.partial ? title + " (partial)" : title;
}

}  // namespace

ComparisonCells comparison_cells(const std::vector<RunResult>& results) {
  const bool one_program = same_program(results);
  ComparisonCells cells;
  cells.headings.emplace_back("");
  for (std::size_t i = 0; i < results.size(); ++i) {
    cells.headings.push_back(column_title(results[i], !one_program));
    if (i != 0) cells.headings.emplace_back("ratio");
  }
  for (const Row& row : all_rows(results)) {
    if (!says_something(row, results)) continue;
    std::vector<std::string>& texts = cells.rows.emplace_back();
    texts.push_back(row.name);
    const std::optional<double> first = row.value(results[0]);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::optional<double> value = row.value(results[i]);
      texts.push_back(value ? row.text(*value) : kAbsent);
      if (i != 0) texts.push_back(value && first ? ratio(*value, *first) : kAbsent);
    }
  }
  return cells;
}

std::string comparison_table(const std::vector<RunResult>& results,
                             const ComparisonOptions& options) {
  ComparisonCells cells = comparison_cells(results);
  TextTable table(cells.headings);
  for (std::size_t column = 1; column < cells.headings.size(); ++column)
    table.align(column, TextTable::Align::kRight);
  for (std::vector<std::string>& row : cells.rows) table.add_row(std::move(row));
  const std::string title = same_program(results) ? results[0].program : "results";
  return TextStyle(options.colour).bold(title) + "\n" + table.to_string();
}

std::string overview_table(const std::vector<std::vector<RunResult>>& by_program) {
  std::vector<std::string> machines;
  for (const std::vector<RunResult>& results : by_program) {
    for (const RunResult& result : results) {
      if (std::find(machines.begin(), machines.end(), result.machine) == machines.end())
        machines.push_back(result.machine);
    }
  }
  std::vector<std::string> headings{"program", "launches", "thread instr"};
  for (std::size_t i = 0; i < machines.size(); ++i) {
    headings.push_back(fmt::format("{} cycles", machines[i]));
    headings.push_back(i == 0 ? fmt::format("{} IPC", machines[i]) : std::string("ratio"));
  }
  TextTable table(headings);
  for (const std::vector<RunResult>& results : by_program) {
    if (results.empty()) continue;
    const experiment::RunTotals& first = results[0].totals;
    std::vector<std::string> cells{results[0].program, with_thousands(first.launches),
                                   with_thousands(first.thread_instructions)};
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const auto of_machine = [&](const RunResult& result) {
        return result.machine == machines[i];
      };
      const auto place = std::find_if(results.begin(), results.end(), of_machine);
      if (place == results.end()) {
        cells.insert(cells.end(), {"–", "–"});
        continue;
      }
      cells.push_back(with_thousands(place->totals.cycles));
      const bool is_first = i == 0;
      cells.push_back(is_first ? decimal(place->totals.ipc())
                               : ratio(static_cast<double>(place->totals.cycles),
                                       static_cast<double>(first.cycles)));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

}  // namespace raddle::report
