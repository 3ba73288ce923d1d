#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "base/console.h"
#include "base/error.h"
#include "base/usage_error.h"
#include "cli/commands.h"
#include "driver/run_program.h"
#include "experiment/result_json.h"
#include "report/text/text_summary.h"

namespace raddle::cli {

namespace {

// Options of a launch mean nothing to a program that launches its kernels itself; a machine that
// has other programs may honour some of them.
void refuse_launch_options(const driver::FoundProgram& program, const RunOptions& options) {
  const std::vector<std::string>& honoured = program.driver->family().launch_options;
  for (const std::string& option : options.launch.given) {
    if (std::ranges::count(honoured, option) != 0) continue;
    throw UsageError(
        fmt::format("{} does not apply to this kind of program", option), options.program,
        honoured.empty()
            ? "arguments of the program itself come after --"
            : fmt::format("options for this kind of program: {}", fmt::join(honoured, ", ")));
  }
}

// A result that is partial says so in its summary.
void explain_end(const driver::FoundProgram& program, const driver::ProgramRun& run) {
  const bool said_in_summary = run.result && run.result->partial;
  if (!said_in_summary && !run.result_refused)
    print_error(program.driver->explain_end(program, run));
}

}  // namespace

int run_command(const RunOptions& options) {
  const driver::FoundProgram program = driver::find_program(options.program);
  refuse_launch_options(program, options);
  driver::RunRequest request = options;
  if (request.settings.machine.empty())
    request.settings.machine = program.driver->family().default_machine;
  const bool json_to_output = options.json == "-";
  const driver::ProgramRun run = driver::run_program(
      program, request, {.to_error = json_to_output, .log_file = {}}, options.store);
  if (!run.compiled) return run.status;
  explain_end(program, run);
  if (!run.result) return run.status;

  if (json_to_output) {
    print(experiment::to_json(*run.result));
    return run.status;
  }
  std::string shown = std::filesystem::path(run.result_file)
                          .lexically_proximate(std::filesystem::current_path())
                          .string();
  // The summary is what is left of a result that cannot be written.
  std::optional<Error> failure;
  try {
    if (options.json) experiment::write_result_file(*run.result, shown = *options.json);
  } catch (const Error& error) {
    failure = error;
    shown.clear();
  }
  print(report::text_summary(
      *run.result,
      {.colour = colour_output(), .result_file = shown, .trace_file = run.trace_file}));
  if (failure) throw *failure;
  return run.status;
}

}  // namespace raddle::cli
