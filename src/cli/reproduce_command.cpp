#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "base/console.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/sweep_runner.h"
#include "experiment/claim_judgement.h"
#include "experiment/multicore_prefix.h"
#include "report/page/paper_figures.h"
#include "report/text/claims_report.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;

using experiment::MeasuredGroups;
using experiment::RunGroup;
using experiment::RunResult;

// Runs the groups on the engine of sweeps and adds their results. Returns the exit status.
int run_groups(const experiment::Paper& paper, const std::vector<const RunGroup*>& groups,
               const ReproduceOptions& options, MeasuredGroups& measured) {
  const experiment::Sweep sweep = sweep_of(paper, groups);
  std::vector<RunResult> results(sweep.cells.size());
  const auto keep = [&](std::size_t cell, const RunResult& result) { results[cell] = result; };
  const SweepEnd end = run_sweep(
      sweep, {.output_folder = options.output_folder, .jobs = options.jobs, .keep = keep});
  if (const int status = report_end(sweep, end, options.output_folder); status != 0) return status;
  auto next = std::make_move_iterator(results.begin());
  for (const RunGroup* group : groups) {
    const auto count = static_cast<std::ptrdiff_t>(group->runs.size());
    measured.add(*group, {next, next + count});
    next += count;
  }
  return 0;
}

// This computer is measured anew each time, and when nothing else keeps it busy.
void measure_host(const RunGroup& group, MeasuredGroups& measured) {
  std::vector<RunResult> results;
  for (const experiment::MeasuredRun& run : group.runs)
    results.push_back(experiment::run_on_host(run.program, run.arguments));
  measured.add(group, std::move(results));
}

std::vector<const RunGroup*> missing_groups(const experiment::Paper& paper,
                                            const ReproduceOptions& options,
                                            MeasuredGroups& measured) {
  std::vector<const RunGroup*> missing;
  const auto add = [&](const std::vector<const RunGroup*>& groups) {
    for (const RunGroup* group : groups) {
      if (std::ranges::find(missing, group) == missing.end()) missing.push_back(group);
    }
  };
  if (options.figure.empty()) add(measured.missing_for_claims());
  for (const experiment::PaperFigure& figure : paper.figures) {
    if (options.figure.empty() || figure.id == options.figure) add(measured.missing_for(figure));
  }
  return missing;
}

void draw_figures(const experiment::Paper& paper, MeasuredGroups& groups,
                  const ReproduceOptions& options) {
  const fs::path folder = fs::path(options.output_folder) / "papers" / paper.name;
  fs::create_directories(folder);
  for (const experiment::PaperFigure& figure : paper.figures) {
    if (!options.figure.empty() && figure.id != options.figure) continue;
    const std::string file = (folder / (figure.id + ".svg")).string();
    report::write_paper_figure(figure, groups, file);
    if (!options.json) print(fmt::format("{}: {}\n", figure.id, file));
  }
}

int reproduce_one(const experiment::Paper& paper, const ReproduceOptions& options) {
  MeasuredGroups measured(paper);
  for (;;) {
    std::vector<const RunGroup*> missing = missing_groups(paper, options, measured);
    if (missing.empty()) break;
    const auto host = std::ranges::stable_partition(
        missing, [](const RunGroup* group) { return group->machine != experiment::kHostMachine; });
    const std::vector<const RunGroup*> on_host(host.begin(), host.end());
    missing.erase(host.begin(), host.end());
    if (const int status = run_groups(paper, missing, options, measured); status != 0)
      return status;
    for (const RunGroup* group : on_host) measure_host(*group, measured);
  }
  if (options.figure.empty()) {
    const std::vector<experiment::Judgement> judgements = experiment::judge(paper, measured);
    print(options.json ? experiment::to_claims_json(paper, judgements)
                       : report::claims_report(paper, judgements, {.colour = colour_output()}));
  }
  draw_figures(paper, measured, options);
  return 0;
}

void check_figure(const experiment::Paper& paper, const std::string& figure) {
  if (figure.empty()) return;
  std::vector<std::string> known;
  for (const experiment::PaperFigure& other : paper.figures) {
    if (other.id == figure) return;
    known.push_back(other.id);
  }
  throw Error(
      fmt::format("{} has no figure '{}'", paper.name, figure), {},
      known.empty() ? "it has none yet" : fmt::format("its figures: {}", fmt::join(known, ", ")));
}

}  // namespace

int reproduce_command(const ReproduceOptions& options) {
  if (options.paper.empty()) {
    std::vector<experiment::Paper> papers;
    for (const std::string& name : experiment::paper_names())
      papers.push_back(experiment::load_paper(name));
    print(report::paper_list(papers));
    return 0;
  }
  const experiment::Paper paper = experiment::load_paper(options.paper);
  check_figure(paper, options.figure);
  return reproduce_one(paper, options);
}

}  // namespace raddle::cli
