#include "report/text/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/number_format.h"
#include "base/text_table.h"
#include "energy/energy.h"
#include "report/bottleneck.h"
#include "report/figure_text.h"
#include "report/page/comparison_figures.h"
#include "report/text/text_style.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using machine::MemoryTraffic;

// A figure of a run, or nothing where the machine does not model it.
struct Row {
  std::string name;
  std::function<std::optional<double>(const RunResult&)> value;
  std::function<std::string(double)> text;
  bool of_time = false;  // a machine without timing has it only in form
};

Row with_time(Row row) {
  row.of_time = true;
  return row;
}

// The cores that share the work, on machines that name them: 15 SMs beside one fabric core.
std::optional<double> cores_of(const RunResult& result) {
  for (const machine::Parameter& parameter : result.parameters) {
    const bool counts_cores = parameter.key == "device.cores" || parameter.key == "backend.count";
    if (counts_cores && std::holds_alternative<std::int64_t>(parameter.value))
      return static_cast<double>(std::get<std::int64_t>(parameter.value));
  }
  return std::nullopt;
}

std::string whole(double value) { return with_thousands(static_cast<std::uint64_t>(value)); }
std::string decimal(double value) { return fmt::format("{:.2f}", value); }
std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string bytes(double value) { return byte_size(static_cast<std::uint64_t>(value)); }

// Sets of coefficients are never mixed: each is a row of its own.
Row energy_row(const std::string& set) {
  const auto value = [set](const RunResult& result) -> std::optional<double> {
    if (result.totals.energy.empty() || result.totals.energy_set != set) return std::nullopt;
    return sum_of(result.totals.energy);
  };
  return {set.empty() ? "energy" : fmt::format("energy ({})", set), value, picojoules_text};
}

// The parts that are charged for time are one.
std::string energy_part(const std::string& name) {
  return energy::is_static_part(name) ? "static power" : name;
}

Row energy_part_row(const std::string& set, const std::string& part) {
  const auto value = [set, part](const RunResult& result) -> std::optional<double> {
    if (result.totals.energy_set != set) return std::nullopt;
    std::optional<double> spent;
    for (const machine::Share& share : result.totals.energy) {
      if (energy_part(share.name) == part) spent = spent.value_or(0) + share.value;
    }
    return spent;
  };
  return {fmt::format("energy: {} ({})", part, set), value, picojoules_text};
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

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& items) {
  std::vector<std::string> names;
  for (const Named& item : items) names.push_back(item.name);
  return names;
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
  return {level + " hit rate", value, share_text};
}

// Cycles that were issued are one row, whatever the machine calls them; other causes have one each.
std::string slots_key(const machine::Stall& stall) {
  if (stall.kind == machine::CycleKind::kIssued) return "issued";
  return label_of(stall);
}

std::vector<std::string> slots_keys(const RunResult& result) {
  std::vector<std::string> keys;
  for (const machine::Stall& stall : result.totals.stalls) keys.push_back(slots_key(stall));
  return keys;
}

Row slots_row(const std::string& key) {
  const auto value = [key](const RunResult& result) -> std::optional<double> {
    const double total = sum_of(result.totals.stalls);
    const auto& stalls = result.totals.stalls;
    const auto stall = std::ranges::find(stalls, key, slots_key);
    if (total <= 0 || stall == stalls.end()) return std::nullopt;
    return stall->cycles / total;
  };
  return {key, value, share_text};
}

Row busy_row(const std::string& name) {
  const auto value = [name](const RunResult& result) -> std::optional<double> {
    for (const machine::Utilisation& unit : result.totals.utilisation) {
      if (unit.name == name) return unit.share();
    }
    return std::nullopt;
  };
  return {name + " busy", value, share_text};
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

// Says nothing of machines without warps.
Row warp_row(const char* name, std::uint64_t experiment::RunTotals::* figure) {
  return {name,
          [figure](const RunResult& result) -> std::optional<double> {
            if (!has_warps(result.totals)) return std::nullopt;
            return static_cast<double>(result.totals.*figure);
          },
          whole};
}

std::vector<Row> all_rows(const std::vector<RunResult>& results) {
  using experiment::RunTotals;
  std::vector<Row> rows;
  rows.push_back(total_row("launches", &RunTotals::launches, whole));
  rows.push_back({"cores", cores_of, whole});
  rows.push_back(with_time(total_row("cycles", &RunTotals::cycles, whole)));
  rows.push_back(with_time(total_row("simulated time", &RunTotals::seconds, seconds_text)));
  rows.push_back(total_row("thread instructions", &RunTotals::thread_instructions, whole));
  rows.push_back(warp_row("warp instructions", &RunTotals::warp_instructions));
  rows.push_back(with_time(
      {"thread instructions per cycle",
       [](const RunResult& result) -> std::optional<double> { return result.totals.ipc(); },
       decimal}));
  for (const std::string& key : distinct(results, slots_keys)) rows.push_back(slots_row(key));
  for (const std::string& unit : distinct(
           results, [](const RunResult& result) { return names_of(result.totals.utilisation); }))
    rows.push_back(busy_row(unit));
  rows.push_back(warp_row("divergent branches", &RunTotals::divergent_branches));
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
  const auto parts = distinct(results, [](const RunResult& result) {
    std::vector<std::string> names = names_of(result.totals.energy);
    for (std::string& name : names) name = energy_part(name);
    return names;
  });
  for (const std::string& set : sets) {
    rows.push_back(energy_row(set));
    for (const std::string& part : parts) rows.push_back(energy_part_row(set, part));
  }
  rows.push_back(total_row("faults", &RunTotals::fault_count, whole));
  return rows;
}

// Rows that are zero or absent everywhere say nothing.
bool says_something(const Row& row, const std::vector<RunResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [&](const RunResult& result) { return row.value(result).value_or(0) != 0; });
}

// The columns of a table that fit the screen beside the figures' names and the first run.
struct Band {
  std::size_t first = 0, end = 0;  // runs after the first
};

std::vector<Band> bands_of(const ComparisonCells& cells, std::size_t runs) {
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < cells.headings.size(); ++column) {
    std::size_t width = display_width(cells.headings[column]);
    for (const auto& row : cells.rows) width = std::max(width, display_width(row[column]));
    widths.push_back(width);
  }
  std::vector<Band> bands;
  for (std::size_t run = 1; run < runs;) {
    Band& band = bands.emplace_back(Band{run, run});
    std::size_t width = widths[0] + kGap + widths[1];
    while (band.end < runs) {
      width += kGap + widths[2 * band.end] + kGap + widths[2 * band.end + 1];
      if (width > kScreenColumns && band.end != band.first) break;
      ++band.end;
    }
    run = band.end;
  }
  if (bands.empty()) bands.push_back({1, 1});
  return bands;
}

// A table whose columns from the fourth on come in pairs, as several tables if the screen is too
// narrow: the first column stands before each.
std::string tables_that_fit(const std::vector<std::string>& headings,
                            const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t kGap = 2, kFixed = 3;
  const auto width_of = [&](std::size_t column) {
    std::size_t width = display_width(headings[column]);
    for (const auto& row : rows) width = std::max(width, display_width(row[column]));
    return width + kGap;
  };
  std::string text;
  for (std::size_t next = kFixed; next < headings.size() || text.empty();) {
    std::vector<std::size_t> columns{0};
    for (std::size_t column = 1; column < kFixed && text.empty(); ++column)
      columns.push_back(column);
    std::size_t width = 0;
    for (const std::size_t column : columns) width += width_of(column);
    const std::size_t start = next;
    while (next + 1 < headings.size()) {
      width += width_of(next) + width_of(next + 1);
      if (width - kGap > kScreenColumns && next != start) break;
      columns.insert(columns.end(), {next, next + 1});
      next += 2;
    }
    const auto cells_of = [&](const std::vector<std::string>& row) {
      std::vector<std::string> cells;
      for (const std::size_t column : columns) cells.push_back(row[column]);
      return cells;
    };
    TextTable table(cells_of(headings));
    for (std::size_t column = 1; column < columns.size(); ++column)
      table.align(column, TextTable::Align::kRight);
    for (const auto& row : rows) table.add_row(cells_of(row));
    text += (text.empty() ? "" : "\n") + table.to_string();
    if (next == start) break;
  }
  return text;
}

}  // namespace

std::string comparison_title(const std::vector<RunResult>& results) {
  const RunResult& first = results[0];
  const auto all = [&](auto same) { return std::all_of(results.begin(), results.end(), same); };
  if (!all([&](const RunResult& result) { return result.program == first.program; }))
    return "results";
  std::string title = first.program;
  if (all([&](const RunResult& result) { return result.arguments == first.arguments; })) {
    for (const std::string& argument : first.arguments) title += " " + argument;
  }
  return title;
}

std::vector<std::vector<RunResult>> comparison_groups(const std::vector<RunResult>& results) {
  const std::vector<ResultLabel> labels = result_labels(results);
  std::vector<std::string> programs;
  std::vector<std::vector<RunResult>> groups;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto place = std::find(programs.begin(), programs.end(), labels[i].program);
    const auto number = static_cast<std::size_t>(place - programs.begin());
    if (place == programs.end()) {
      programs.push_back(labels[i].program);
      groups.emplace_back();
    }
    groups[number].push_back(results[i]);
  }
  if (groups.size() == results.size()) return {results};
  return groups;
}

ComparisonCells comparison_cells(const std::vector<RunResult>& results) {
  const std::vector<ResultLabel> labels = result_labels(results);
  const bool one_program = std::all_of(labels.begin(), labels.end(), [&](const ResultLabel& label) {
    return label.program == labels[0].program;
  });
  ComparisonCells cells;
  cells.headings.emplace_back("");
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::string title = one_program ? labels[i].machine
                                    : fmt::format("{} on {}", labels[i].program, labels[i].machine);
    cells.headings.push_back(results[i].partial ? title + " (partial)" : title);
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
      const bool comparable =
          value && first && (!row.of_time || (is_timed(results[i]) && is_timed(results[0])));
      if (i != 0) texts.push_back(comparable ? ratio(*value, *first) : kAbsent);
    }
  }
  return cells;
}

std::string comparison_table(const std::vector<RunResult>& results,
                             const ComparisonOptions& options) {
  const ComparisonCells cells = comparison_cells(results);
  std::string text = TextStyle(options.colour).bold(comparison_title(results)) + "\n";
  const auto columns_of = [](const std::vector<std::string>& row, const Band& band) {
    std::vector<std::string> columns{row[0], row[1]};
    const auto at = [&](std::size_t run) {
      return row.begin() + static_cast<std::ptrdiff_t>(2 * run);
    };
    columns.insert(columns.end(), at(band.first), at(band.end));
    return columns;
  };
  const std::vector<Band> bands = bands_of(cells, results.size());
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const std::vector<std::string> headings = columns_of(cells.headings, bands[i]);
    TextTable table(headings);
    for (std::size_t column = 1; column < headings.size(); ++column)
      table.align(column, TextTable::Align::kRight);
    for (const std::vector<std::string>& row : cells.rows) table.add_row(columns_of(row, bands[i]));
    text += (i == 0 ? "" : "\n") + table.to_string();
  }
  return text;
}

std::string overview_table(const std::vector<std::vector<RunResult>>& by_program) {
  std::vector<std::string> machines;
  for (const std::vector<RunResult>& results : by_program) {
    for (const RunResult& result : results) add_once(machines, result.machine);
  }
  std::vector<std::string> headings{"program", "launches", "thread instr"};
  for (std::size_t i = 0; i < machines.size(); ++i) {
    headings.push_back(fmt::format("{} cycles", machines[i]));
    headings.push_back(i == 0 ? fmt::format("{} IPC", machines[i]) : std::string("ratio"));
  }
  std::vector<std::vector<std::string>> rows;
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
      const bool comparable = is_timed(*place) && is_timed(results[0]);
      cells.push_back(is_first      ? decimal(place->totals.ipc())
                      : !comparable ? std::string(kAbsent)
                                    : ratio(static_cast<double>(place->totals.cycles),
                                            static_cast<double>(first.cycles)));
    }
    rows.push_back(std::move(cells));
  }
  return tables_that_fit(headings, rows);
}

}  // namespace raddle::report
