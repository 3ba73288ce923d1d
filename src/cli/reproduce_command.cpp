#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program_runner.h"
#include "experiment/claim_judgement.h"
#include "experiment/multicore_prefix.h"
#include "report/claims_report.h"
#include "report/paper_figures.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;

// One run of a group, its own output kept in a log beside the result.
experiment::RunResult run_one(const ReproduceOptions& options, const std::string& folder,
                              const experiment::RunGroup& group,
                              const experiment::MeasuredRun& measured) {
  RunOptions run;
  run.program = measured.program;
  run.arguments = measured.arguments;
  run.settings.machine = group.machine;
  run.settings.assignments = group.assignments;
  run.settings.assignments.insert(run.settings.assignments.end(), measured.assignments.begin(),
                                  measured.assignments.end());
  run.output_folder = folder;
  const std::string log =
      (fs::path(folder) / fmt::format("{}-{}.log", group.name, measured.label)).string();
  if (!options.json) {
    print_error(fmt::format("running {} {} on {}\n", measured.program,
                            fmt::join(measured.arguments, " "), group.machine));
  }
  if (group.machine == experiment::kHostMachine)
    return experiment::run_on_host(measured.program, measured.arguments);
  const ProgramRun done = run_program(run, {.to_error = false, .log_file = log});
  if (done.status != 0 || !done.result || done.result->partial) {
    throw Error(
        fmt::format("{} on {} ended with status {}", measured.program, group.machine, done.status),
        {}, fmt::format("its output is in {}", log));
  }
  return *done.result;
}

void draw_figures(const experiment::Paper& paper, experiment::MeasuredGroups& groups,
                  const ReproduceOptions& options, const std::string& folder) {
  for (const experiment::PaperFigure& figure : paper.figures) {
    if (!options.figure.empty() && figure.id != options.figure) continue;
    const std::string file = (fs::path(folder) / (figure.id + ".svg")).string();
    report::write_paper_figure(figure, groups, file);
    if (!options.json) print(fmt::format("{}: {}\n", figure.id, file));
  }
}

void reproduce_one(const experiment::Paper& paper, const ReproduceOptions& options) {
  const std::string folder = (fs::path(options.output_folder) / "papers" / paper.name).string();
  // Kernels of one program are measured in one run of it, with the same parameters.
  using Key =
      std::tuple<std::string, std::string, std::vector<std::string>, std::vector<std::string>>;
  std::map<Key, experiment::RunResult> done;
  experiment::MeasuredGroups groups(
      paper, [&](const experiment::RunGroup& group, const experiment::MeasuredRun& run) {
        Key key{group.name, run.program, run.arguments, run.assignments};
        const auto known = done.find(key);
        if (known != done.end()) return known->second;
        fs::create_directories(folder);
        return done.emplace(std::move(key), run_one(options, folder, group, run)).first->second;
      });
  if (options.figure.empty()) {
    const std::vector<experiment::Judgement> judgements = experiment::judge(paper, groups);
    print(options.json ? experiment::to_claims_json(paper, judgements)
                       : report::claims_report(paper, judgements, {.colour = colour_output()}));
  }
  fs::create_directories(folder);
  draw_figures(paper, groups, options, folder);
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
      known.empty() ? "it has none yet" : fmt::format("there are: {}", fmt::join(known, ", ")));
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
  reproduce_one(paper, options);
  return 0;
}

}  // namespace raddle::cli
