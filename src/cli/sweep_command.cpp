#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/exit_status.h"
#include "base/number_format.h"
#include "base/text_table.h"
#include "cli/commands.h"
#include "cli/sweep_runner.h"
#include "experiment/sweep.h"
#include "report/text/text_wrap.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;
using experiment::CellOutcome;
using experiment::CellStatus;
using experiment::Sweep;
using experiment::SweepCell;

constexpr std::size_t kShownRows = 60;
constexpr double kPicojoules = 1e-12;

struct FigureColumn {
  const char* heading;
  std::string (*text)(const CellOutcome& outcome);
};
const FigureColumn kCycles{
    "cycles", [](const CellOutcome& outcome) { return with_thousands(outcome.cycles); }};
const FigureColumn kIpc{
    "IPC", [](const CellOutcome& outcome) { return fmt::format("{:.1f}", outcome.ipc); }};
const FigureColumn kTime{"simulated", [](const CellOutcome& outcome) {
                           return outcome.seconds == 0 ? "0 s" : si_scaled(outcome.seconds, "s");
                         }};
const FigureColumn kEnergy{"energy", [](const CellOutcome& outcome) {
                             return outcome.energy ? si_scaled(*outcome.energy * kPicojoules, "J")
                                                   : "–";
                           }};
const FigureColumn kInstructions{"thread instr", [](const CellOutcome& outcome) {
                                   return with_thousands(outcome.thread_instructions);
                                 }};

// Where the page is too narrow, the last are given up first.
std::vector<FigureColumn> figure_columns(const std::vector<CellOutcome>& outcomes) {
  const auto has_energy = [](const CellOutcome& outcome) { return outcome.energy.has_value(); };
  if (std::ranges::any_of(outcomes, has_energy))
    return {kCycles, kIpc, kTime, kEnergy, kInstructions};
  return {kCycles, kIpc, kTime, kInstructions};
}

// Axes on which cells differ; the others are said once, above the table.
std::vector<std::size_t> varying_axes(const std::vector<SweepCell>& cells) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < cells.front().labels.size(); ++axis) {
    const auto differs = [&](const SweepCell& cell) {
      return cell.labels[axis] != cells.front().labels[axis];
    };
    if (std::ranges::any_of(cells, differs)) axes.push_back(axis);
  }
  return axes;
}

std::string heading_of(const Sweep& sweep, const std::string& description,
                       const std::vector<std::size_t>& varying) {
  std::string constant;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (std::ranges::find(varying, axis) != varying.end()) continue;
    constant += fmt::format("{}{} {}", constant.empty() ? "" : ", ", sweep.axes[axis],
                            sweep.cells.front().labels[axis]);
  }
  std::string text = sweep.name;
  if (!description.empty()) text += ": " + description;
  text = report::wrap_text(text, 0) + "\n";
  if (!constant.empty()) text += report::wrap_text("all cells: " + constant, 0) + "\n";
  return text;
}

std::size_t page_width(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    widest = std::max(widest, display_width(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return widest;
}

std::string table_of(const Sweep& sweep, const std::vector<CellOutcome>& outcomes,
                     const std::vector<std::size_t>& axes,
                     const std::vector<FigureColumn>& figures) {
  const std::vector<SweepCell>& cells = sweep.cells;
  std::vector<std::string> headings;
  for (const std::size_t axis : axes) headings.push_back(sweep.axes[axis]);
  if (axes.empty()) headings.emplace_back("program");
  for (const FigureColumn& figure : figures) headings.emplace_back(figure.heading);
  TextTable table(headings);
  for (std::size_t cell = 0; cell < std::min(cells.size(), kShownRows); ++cell) {
    std::vector<std::string> row;
    for (const std::size_t axis : axes) row.push_back(cells[cell].labels[axis]);
    if (axes.empty()) row.push_back(cells[cell].program);
    const bool done = outcomes[cell].status == CellStatus::kDone;
    for (const FigureColumn& figure : figures)
      row.push_back(done ? figure.text(outcomes[cell]) : "–");
    table.add_row(std::move(row));
  }
  return table.to_string();
}

// As many figures as fit on the page.
std::string fitting_table(const Sweep& sweep, const std::vector<CellOutcome>& outcomes,
                          const std::vector<std::size_t>& axes) {
  std::vector<FigureColumn> figures = figure_columns(outcomes);
  std::string text = table_of(sweep, outcomes, axes, figures);
  while (figures.size() > 1 && page_width(text) > report::kScreenColumns) {
    figures.pop_back();
    text = table_of(sweep, outcomes, axes, figures);
  }
  const std::size_t rows = sweep.cells.size();
  if (rows > kShownRows) text += fmt::format("… and {} more\n", rows - kShownRows);
  return text;
}

// A figure that no result has is most likely misspelt.
void warn_of_unknown_figures(const Sweep& sweep, const std::vector<CellOutcome>& outcomes) {
  for (std::size_t i = 0; i < sweep.figures.size(); ++i) {
    const auto has = [&](const CellOutcome& outcome) {
      return i < outcome.figures.size() && outcome.figures[i].has_value();
    };
    const auto done = [](const CellOutcome& outcome) {
      return outcome.status == CellStatus::kDone;
    };
    if (std::ranges::none_of(outcomes, done) || std::ranges::any_of(outcomes, has)) continue;
    print_error(fmt::format("raddle: warning: {}: no cell has the figure '{}'\n", sweep.file,
                            sweep.figures[i]));
  }
}

}  // namespace

int sweep_command(const SweepOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const experiment::SweepSpec spec = experiment::read_sweep_spec(options.spec);
  const Sweep sweep = sweep_of(spec);
  const SweepEnd end =
      run_sweep(sweep, {.output_folder = options.output_folder, .jobs = options.jobs});
  const std::string csv = (fs::path(options.output_folder) / (sweep.name + ".csv")).string();
  write_file_atomically(csv, sweep_csv(sweep, end.outcomes));

  const std::size_t missing = sweep.cells.size() - end.run - end.reused - end.failed;
  std::string summary =
      fmt::format("{}: {} run, {} reused, {} failed", plural(sweep.cells.size(), "cell"), end.run,
                  end.reused, end.failed);
  if (missing != 0) summary += fmt::format(", {} not run", missing);
  summary +=
      fmt::format("; {:.1f} s\n", std::chrono::duration<double>(Clock::now() - start).count());
  const std::vector<std::size_t> axes = varying_axes(sweep.cells);
  print(heading_of(sweep, spec.description, axes) + "\n" +
        fitting_table(sweep, end.outcomes, axes) + "\n" + summary +
        fmt::format("table: {}\n", csv));
  warn_of_unknown_figures(sweep, end.outcomes);
  return report_end(sweep, end, options.output_folder);
}

}  // namespace raddle::cli
