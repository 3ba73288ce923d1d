#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/atomic_file.h"
#include "base/number_format.h"
#include "base/text_table.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/sweep_programs.h"
#include "cli/sweep_runner.h"
#include "experiment/sweep.h"
#include "report/text_wrap.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;
using experiment::CellOutcome;
using experiment::CellStatus;
using experiment::SweepCell;
using experiment::SweepSpec;

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

std::string heading_of(const SweepSpec& spec, const std::vector<SweepCell>& cells,
                       const std::vector<std::size_t>& varying) {
  std::string constant;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    if (std::ranges::find(varying, axis) != varying.end()) continue;
    constant += fmt::format("{}{} {}", constant.empty() ? "" : ", ", spec.axes[axis].name,
                            cells.front().labels[axis]);
  }
  std::string text = spec.name;
  if (!spec.description.empty()) text += ": " + spec.description;
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

std::string table_of(const SweepSpec& spec, const std::vector<SweepCell>& cells,
                     const std::vector<CellOutcome>& outcomes, const std::vector<std::size_t>& axes,
                     const std::vector<FigureColumn>& figures) {
  std::vector<std::string> headings;
  for (const std::size_t axis : axes) headings.push_back(spec.axes[axis].name);
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
std::string fitting_table(const SweepSpec& spec, const std::vector<SweepCell>& cells,
                          const std::vector<CellOutcome>& outcomes,
                          const std::vector<std::size_t>& axes) {
  std::vector<FigureColumn> figures = figure_columns(outcomes);
  std::string text = table_of(spec, cells, outcomes, axes, figures);
  while (figures.size() > 1 && page_width(text) > report::kScreenColumns) {
    figures.pop_back();
    text = table_of(spec, cells, outcomes, axes, figures);
  }
  if (cells.size() > kShownRows) text += fmt::format("… and {} more\n", cells.size() - kShownRows);
  return text;
}

std::string failures_of(const SweepSpec& spec, const std::vector<SweepCell>& cells,
                        const std::vector<CellOutcome>& outcomes,
                        const std::string& output_folder) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (outcomes[i].status != CellStatus::kFailed) continue;
    text += fmt::format("  {}: {}\n    log: {}\n", cell_name(spec, cells[i]), outcomes[i].reason,
                        (fs::path(output_folder) / outcomes[i].log_file).string());
  }
  return text;
}

// A figure that no result has is most likely misspelt.
void warn_of_unknown_figures(const SweepSpec& spec, const std::vector<CellOutcome>& outcomes) {
  for (std::size_t i = 0; i < spec.figures.size(); ++i) {
    const auto has = [&](const CellOutcome& outcome) {
      return i < outcome.figures.size() && outcome.figures[i].has_value();
    };
    const auto done = [](const CellOutcome& outcome) {
      return outcome.status == CellStatus::kDone;
    };
    if (std::ranges::none_of(outcomes, done) || std::ranges::any_of(outcomes, has)) continue;
    print_error(fmt::format("raddle: warning: {}: no cell has the figure '{}'\n", spec.file,
                            spec.figures[i]));
  }
}

std::string plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

int sweep_command(const SweepOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const SweepSpec spec = experiment::read_sweep_spec(options.spec);
  const std::vector<SweepCell> cells = cells_of(spec);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned jobs = options.jobs != 0 ? options.jobs : cores;
  SweepProgress progress(cells.size(), jobs, isatty(STDERR_FILENO) == 1);
  const std::vector<ReadyCell> ready =
      prepare_cells(cells, options.output_folder,
                    [&](const std::string& program) { progress.preparing(program); });
  progress.clear();
  SweepRunner runner({spec, cells, ready, options.output_folder, jobs, progress});
  const SweepCounts counts = runner.run();
  const std::vector<CellOutcome>& outcomes = runner.outcomes();
  const std::string csv = (fs::path(options.output_folder) / (spec.name + ".csv")).string();
  write_file_atomically(csv, sweep_csv(spec, cells, outcomes));

  const std::size_t missing = cells.size() - counts.run - counts.reused - counts.failed;
  std::string summary =
      fmt::format("{}: {} run, {} reused, {} failed", plural(cells.size(), "cell"), counts.run,
                  counts.reused, counts.failed);
  if (missing != 0) summary += fmt::format(", {} not run", missing);
  summary +=
      fmt::format("; {:.1f} s\n", std::chrono::duration<double>(Clock::now() - start).count());
  const std::vector<std::size_t> axes = varying_axes(cells);
  print(heading_of(spec, cells, axes) + "\n" + fitting_table(spec, cells, outcomes, axes) + "\n" +
        summary + fmt::format("table: {}\n", csv));

  warn_of_unknown_figures(spec, outcomes);
  if (counts.failed != 0)
    print_error(fmt::format("raddle: {} failed:\n{}", plural(counts.failed, "cell"),
                            failures_of(spec, cells, outcomes, options.output_folder)));
  if (counts.signal != 0) {
    print_error(fmt::format("raddle: stopped by {}\nhint: the same command goes on from here\n",
                            signal_text(128 + counts.signal)));
    return 128 + counts.signal;
  }
  return counts.failed == 0 ? 0 : kUserFault;
}

}  // namespace raddle::cli
