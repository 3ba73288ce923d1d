#include "cli/ddm_runner.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "cli/interrupt_note.h"
#include "cli/output.h"
#include "experiment/launch_settings.h"
#include "lang/cuda/compile_cache.h"
#include "lang/cuda/process.h"
#include "lang/ddm/ddm_compiler.h"
#include "lang/ddm/recording_cache.h"
#include "machine/d2now/d2now_machine.h"
#include "machine/program_machine.h"
#include "report/progress_line.h"
#include "sim/trace.h"

namespace raddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

void say(std::string_view text, const ProgramOutput& output) {
  if (!output.log_file.empty()) {
    write_file_atomically(output.log_file, std::string(text));
  } else if (output.to_error) {
    print_error(text);
  } else {
    print(text);
  }
}

ddm_lang::CompiledProgram compile(const std::string& path, const RunOptions& options,
                                  bool instrument) {
  ddm_lang::CompileRequest request;
  request.inputs = {path};
  request.flags = shell_words(options.compile_flags);
  request.instrument = instrument;
  return ddm_lang::compile_cached(request, cuda::cache_folder(options.output_folder));
}

ProgramRun run_on_host(const std::string& executable, const RunOptions& options,
                       const machine::ParameterTable& parameters, const ProgramOutput& output,
                       const std::string& result_file) {
  const Clock::time_point start = Clock::now();
  cuda::Command command;
  command.arguments.push_back(executable);
  command.arguments.insert(command.arguments.end(), options.arguments.begin(),
                           options.arguments.end());
  // The runtime's own timeline, in the format that Chrome's tools and Perfetto read.
  constexpr std::string_view kTrace = "RADDLE_DDM_TRACE=";
  const std::string& trace = options.settings.trace_file;
  if (!trace.empty()) {
    command.environment.push_back(std::string(kTrace) + std::filesystem::absolute(trace).string());
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_replaced = !trace.empty() && std::string_view(*variable).starts_with(kTrace);
    if (!is_replaced) command.environment.emplace_back(*variable);
  }
  machine::DeviceDescription device;
  device.traces = true;
  print_error(experiment::unheeded_settings(options.settings, device));
  cuda::Streams streams;
  streams.output_to_error = output.to_error || !output.log_file.empty();
  streams.error_file = output.log_file;
  cuda::Process process(command, streams);
  ProgramRun run;
  if (options.settings.timeout_seconds > 0 &&
      !process.ends_within(options.settings.timeout_seconds)) {
    run.out_of_time = true;
    kill(process.id(), SIGKILL);
  }
  run.status = process.wait();
  run.signal = process.signal();
  run.result_file = result_file;
  run.trace_file = trace;
  run.result = experiment::start_result(options.settings.program, options.arguments,
                                        options.settings.machine, parameters, {});
  run.result->exit_status = run.status;
  run.result->host.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  experiment::write_result_file(*run.result, result_file);
  return run;
}

machine::LaunchOptions launch_options(const RunOptions& options, const InterruptNote& note,
                                      Clock::time_point start) {
  machine::LaunchOptions launch = experiment::launch_options(options.settings);
  launch.interrupted = note.flag();
  if (options.settings.timeout_seconds > 0) {
    launch.deadline = start + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options.settings.timeout_seconds));
  }
  return launch;
}

ProgramRun run_simulated(const std::string& executable, const RunOptions& options,
                         const machine::ParameterTable& parameters, const ProgramOutput& output,
                         const std::string& result_file) {
  const Clock::time_point start = Clock::now();
  ddm_lang::RecordRequest request;
  request.executable = executable;
  request.arguments = options.arguments;
  request.program = options.settings.program;
  request.nodes = static_cast<std::uint32_t>(parameters.integer_in("nodes", 1, 4096));
  request.timeout_seconds = options.settings.timeout_seconds;
  const ddm_lang::Recorded recorded =
      ddm_lang::record_cached(request, cuda::cache_folder(options.output_folder));
  say(recorded.output, output);
  ProgramRun run;
  run.result_file = result_file;
  run.status = recorded.status;
  run.signal = recorded.signal;
  run.out_of_time = recorded.out_of_time;
  if (recorded.status != 0) return run;

  const InterruptNote note;
  machine::LaunchOptions launch = launch_options(options, note, start);
  report::ProgressLine progress = report::progress_line_on_terminal();
  progress.start(options.settings.program);
  launch.progress = [&](const machine::LaunchProgress& done) { progress.update(done); };
  machine::DeviceDescription device;
  device.name = parameters.name();
  device.traces = device.samples = true;
  const std::unique_ptr<sim::TraceFile> trace = experiment::open_trace(options.settings, device);
  launch.trace = trace.get();
  machine::LaunchResult launched = machine::d2now::replay(parameters, recorded.recording, launch);
  progress.clear();
  if (trace != nullptr) {
    trace->finish();
    run.trace_file = options.settings.trace_file;
  }

  run.status = note.status_of(launched);
  machine::Peaks peaks;
  peaks.clock_hz = parameters.number("clock_hz");
  run.result = experiment::start_result(options.settings.program, options.arguments,
                                        options.settings.machine, parameters, peaks);
  run.result->partial = !launched.complete;
  if (run.result->partial) run.result->partial_reason = note.reason_of(launched);
  run.result->exit_status = run.status;
  experiment::add_launch(*run.result, std::move(launched));
  run.result->host.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  run.result->host.peak_memory_bytes = experiment::peak_memory_bytes();
  experiment::write_result_file(*run.result, result_file);
  return run;
}

ProgramRun run(const std::string& path, const RunOptions& options, const ProgramOutput& output,
               const std::string& result_file) {
  machine::ParameterTable parameters = machine::load_parameters(options.settings.machine);
  for (const std::string& assignment : options.settings.assignments) parameters.set(assignment);
  // Values out of range are refused before anything is compiled.
  machine::find_program_machine(parameters.machine())->check(parameters);
  const bool simulated = parameters.machine() == "d2now";
  const ddm_lang::CompiledProgram compiled = compile(path, options, simulated);
  print_error(compiled.diagnostics);
  if (compiled.status != 0) {
    ProgramRun failed;
    failed.compiled = false;
    failed.status = kUserFault;
    return failed;
  }
  return simulated ? run_simulated(compiled.executable, options, parameters, output, result_file)
                   : run_on_host(compiled.executable, options, parameters, output, result_file);
}

}  // namespace

ProgramFamily ddm_family() {
  ProgramFamily family;
  family.endings = {".ddm.cpp"};
  family.folder = "ddm";
  family.implementation = "d2now";
  family.further_implementations = {"ddm"};
  family.machines = "d2now, pram or ddm (this host)";
  family.default_machine = "d2now";
  family.run = run;
  return family;
}

}  // namespace raddle::cli
