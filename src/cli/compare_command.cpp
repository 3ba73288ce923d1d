#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program_runner.h"
#include "experiment/result_json.h"
#include "machine/machine.h"
#include "report/comparison.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;
using experiment::RunResult;

bool is_result(const std::string& name) { return fs::path(name).extension() == ".json"; }

// Machines without units for values between threads run the form with shared memory of bundled
// programs that have both.
std::string form_for(const std::string& program, const std::string& machine) {
  constexpr std::string_view kBetweenThreads = "dmt/";
  const std::size_t place = program.rfind(kBetweenThreads);
  const bool is_folder = place == 0 || (place != std::string::npos && program[place - 1] == '/');
  if (!is_folder) return program;
  std::string twin = program.substr(place + kBetweenThreads.size());
  const auto known = bundled_programs();
  if (std::find(known.begin(), known.end(), twin) == known.end()) return program;
  const auto device = machine::make_machine(machine::load_parameters(machine));
  if (device->description().passes_values_between_threads) return program;
  print_error(
      fmt::format("raddle: note: {} has no units for values between threads and runs {}, the form "
                  "with shared memory\n",
                  machine, twin));
  return twin;
}

// One program on one machine. Its own output goes to a log, as it would break the table; where the
// run failed, it is shown.
int run_once(const CompareOptions& options, const std::string& program, const std::string& machine,
             std::vector<RunResult>& results) {
  RunOptions run_options = options.run;
  run_options.program = program;
  run_options.settings.machine = machine;
  const std::string log = (fs::path(run_options.output_folder) /
                           fmt::format("{}-{}.log", fs::path(program).stem().string(),
                                       fs::path(machine).stem().string()))
                              .string();
  const ProgramRun run = run_program(run_options, {.to_error = true, .log_file = log});
  if (run.result) results.push_back(*run.result);
  if (!run.compiled) return run.status;
  if (run.status != 0 || !run.result) {
    const std::string signal = signal_text(run.status);
    const std::string end = signal.empty() ? fmt::format("exit status {}", run.status) : signal;
    print_error(
        fmt::format("raddle: {} on {}: the program ended with {}\nhint: its output is in {}\n",
                    program, machine, end, log));
    return kUserFault;
  }
  return 0;
}

int compare_results(const CompareOptions& options) {
  std::vector<RunResult> results;
  for (const std::string& file : options.programs)
    results.push_back(experiment::read_result_file(file));
  const std::vector<std::vector<RunResult>> groups = report::comparison_groups(results);
  if (options.run.json) {
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

}  // namespace

int compare_command(const CompareOptions& options) {
  const auto result_count =
      std::count_if(options.programs.begin(), options.programs.end(), is_result);
  if (result_count == static_cast<std::ptrdiff_t>(options.programs.size()))
    return compare_results(options);
  if (result_count != 0)
    throw Error("programs and results cannot be compared with each other", {},
                "give programs alone, or .json files alone");

  int status = 0;
  std::vector<std::vector<RunResult>> by_program;
  for (const std::string& program : options.programs) {
    std::vector<RunResult>& results = by_program.emplace_back();
    for (const std::string& machine : options.machines)
      status = std::max(status, run_once(options, form_for(program, machine), machine, results));
    if (!options.run.json && !results.empty())
      print(report::comparison_table(results, {.colour = colour_output()}) + "\n");
  }
  if (options.run.json) {
    print(experiment::to_comparison_json(by_program));
  } else if (by_program.size() > 1) {
    print(report::overview_table(by_program));
  }
  return status;
}

}  // namespace raddle::cli
