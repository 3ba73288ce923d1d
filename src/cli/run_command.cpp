#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program_family.h"
#include "cli/program_runner.h"
#include "cli/usage_error.h"
#include "experiment/result_json.h"
#include "report/text_summary.h"

namespace raddle::cli {

namespace {

// The runtime prints what went wrong in a kernel; what remains is a program that ended in a way it
// could not foresee, or before it used the device at all.
void explain_end(const ProgramRun& run, const RunOptions& options) {
  const bool said_in_summary = run.result && run.result->partial;
  if (said_in_summary || run.result_refused) return;
  const bool is_cuda = find_program(options.program).kind != ProgramKind::kOther;
  if (run.out_of_time) {
    const bool before_device = is_cuda && !run.used_device;
    print_error(fmt::format("raddle: error: stopped by --timeout\n  in {}{}\n",
                            is_cuda ? "host code" : "the program",
                            before_device ? ", before the first CUDA call" : ""));
  } else if (run.signal != 0) {
    const std::string known = signal_text(run.status);
    print_error(fmt::format("raddle: {}: the program was ended by {}\n", options.program,
                            known.empty() ? fmt::format("signal {}", run.signal) : known));
  }
  if (run.result || run.signal != 0 || run.out_of_time) return;
  if (run.used_device) {
    print_error(
        fmt::format("raddle: {}: the program ended with status {} without its exit "
                    "handlers; there is no result\n"
                    "hint: _exit and exec leave them out; exit and return do not\n",
                    options.program, run.status));
    return;
  }
  if (run.status == 0 && find_program(options.program).kind == ProgramKind::kExecutable) {
    throw Error("the program left no result: it did not use Raddle's CUDA runtime", options.program,
                "compile it with raddle cc, or run its .cu file");
  }
  print_error(fmt::format("raddle: {}: the program ended with status {}{}; there is no result\n",
                          options.program, run.status,
                          is_cuda ? " before its first CUDA call" : ""));
}

// Options of a launch mean nothing to a program that launches its kernels itself; a machine that
// has other programs may heed some of them.
void refuse_launch_options(const RunOptions& options) {
  if (options.ptx.given.empty()) return;
  const FoundProgram program = find_program(options.program);
  if (program.kind == ProgramKind::kPtx) return;
  static const std::vector<std::string> none;
  const auto& heeded = program.family == nullptr ? none : program.family->launch_options;
  for (const std::string& option : options.ptx.given) {
    if (std::ranges::count(heeded, option) != 0) continue;
    throw UsageError(fmt::format("{} is an option for .ptx files", option), options.program,
                     heeded.empty()
                         ? "arguments for the program itself come after --"
                         : fmt::format("such programs take {}", fmt::join(heeded, ", ")));
  }
}

}  // namespace

int run_command(const RunOptions& options) {
  refuse_launch_options(options);
  const bool json_to_output = options.json == "-";
  const ProgramRun run = run_program(options, {.to_error = json_to_output, .log_file = {}});
  if (!run.compiled) return run.status;
  explain_end(run, options);
  if (!run.result) return run.status;

  if (json_to_output) {
    print(experiment::to_json(*run.result));
    return run.status;
  }
  if (options.json) write_file_atomically(*options.json, experiment::to_json(*run.result));
  const std::string shown = std::filesystem::path(run.result_file)
                                .lexically_proximate(std::filesystem::current_path())
                                .string();
  print(report::text_summary(*run.result, {.colour = colour_output(),
                                           .result_file = options.json ? *options.json : shown,
                                           .trace_file = run.trace_file}));
  return run.status;
}

}  // namespace raddle::cli
