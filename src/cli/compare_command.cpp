#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "cli/commands.h"
#include "driver/run_program.h"
#include "experiment/result_json.h"
#include "report/text/brief_comparison.h"
#include "report/text/comparison.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;
using experiment::RunResult;

constexpr int kSignalStatus = 128;  // and the signal's number, as in a shell

bool is_result(const std::string& name) { return fs::path(name).extension() == ".json"; }

// What runs on this machine: some bundled programs have another form for machines that cannot run
// them.
driver::FoundProgram form_for(const driver::FoundProgram& program, const std::string& machine) {
  const std::string other = program.driver->other_form(
      program.asked, machine::traits_of(machine::load_parameters(machine)));
  if (other.empty()) return program;
  print_error(
      fmt::format("raddle: note: {} cannot pass values between threads; running {}, the version "
                  "that uses shared memory\n",
                  machine, other));
  return driver::find_program(other);
}

// By the user, who then wants none of the runs that were to follow.
bool was_interrupted(const driver::ProgramRun& run) {
  if (run.result) return run.result->partial_reason == name_of(machine::FaultKind::kInterrupted);
  return !run.out_of_time && (run.signal == SIGINT || run.signal == SIGTERM);
}

// One program on one machine. Its own output goes to a log, as it would break the table; where the
// run failed, it is named. The status is above 128 if the user interrupted the run.
int run_once(const CompareOptions& options, const driver::FoundProgram& program,
             const std::string& machine, std::vector<RunResult>& results) {
  driver::RunRequest request = options.run;
  request.settings.machine = machine;
  const std::string log = (fs::path(request.output_folder) /
                           fmt::format("{}-{}.log", fs::path(program.asked).stem().string(),
                                       fs::path(machine).stem().string()))
                              .string();
  const driver::ProgramRun run =
      driver::run_program(program, request, {.to_error = true, .log_file = log}, options.run.store);
  if (run.result) results.push_back(*run.result);
  if (!run.compiled) return run.status;
  if (run.status != 0 || !run.result) {
    const std::string signal = driver::signal_text(run.status);
    const std::string end = signal.empty() ? fmt::format("exit status {}", run.status) : signal;
    print_error(
        fmt::format("raddle: {} on {}: the program ended with {}\nhint: its output is in {}\n",
                    program.asked, machine, end, log));
    return was_interrupted(run) ? run.status : kUserFault;
  }
  return 0;
}

int compare_results(const CompareOptions& options) {
  std::vector<RunResult> results;
  for (const std::string& file : options.programs)
    results.push_back(experiment::read_result_file(file));
  if (options.brief && !options.run.json) {
    print(report::brief_comparison(results, {.colour = colour_output()}));
    return 0;
  }
  return print_comparison(results, options.run.json.has_value());
}

}  // namespace

int print_comparison(const std::vector<RunResult>& results, bool as_json) {
  const std::vector<std::vector<RunResult>> groups = report::comparison_groups(results);
  if (as_json) {
    print(experiment::to_comparison_json(groups));
    return 0;
  }
  for (const std::vector<RunResult>& group : groups) {
    print(report::comparison_table(group, {.colour = colour_output()}));
    if (groups.size() > 1) print("\n");
  }
  if (groups.size() > 1) print(report::overview_table(groups));
  return 0;
}

int compare_command(const CompareOptions& options) {
  if (options.run.json && options.brief)
    print_error("raddle: note: JSON holds every figure; --brief has no effect\n");
  const auto result_count =
      std::count_if(options.programs.begin(), options.programs.end(), is_result);
  if (result_count == static_cast<std::ptrdiff_t>(options.programs.size()))
    return compare_results(options);
  if (result_count != 0)
    throw Error("programs and results cannot be compared with each other", {},
                "give programs alone, or .json files alone");

  int status = 0;
  std::vector<std::vector<RunResult>> by_program;
  for (const std::string& name : options.programs) {
    if (status > kSignalStatus) break;
    const driver::FoundProgram program = driver::find_program(name);
    std::vector<std::string> machines = options.machines;
    if (machines.empty()) machines = {program.driver->family().default_machine};
    std::vector<RunResult>& results = by_program.emplace_back();
    for (const std::string& machine : machines) {
      status = std::max(status, run_once(options, form_for(program, machine), machine, results));
      if (status > kSignalStatus) break;
    }
    if (!options.run.json && !options.brief && !results.empty())
      print(report::comparison_table(results, {.colour = colour_output()}) + "\n");
  }
  if (options.run.json) {
    print(experiment::to_comparison_json(by_program));
  } else if (options.brief) {
    std::vector<RunResult> all;
    for (const std::vector<RunResult>& results : by_program)
      all.insert(all.end(), results.begin(), results.end());
    print(report::brief_comparison(all, {.colour = colour_output()}));
  } else if (by_program.size() > 1) {
    print(report::overview_table(by_program));
  }
  return status;
}

}  // namespace raddle::cli
