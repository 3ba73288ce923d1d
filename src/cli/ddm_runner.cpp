#include "cli/ddm_runner.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/shell_words.h"
#include "cli/output.h"
#include "cli/simulated_run.h"
#include "experiment/launch_settings.h"
#include "lang/cuda/compile_cache.h"
#include "lang/cuda/process.h"
#include "lang/ddm/ddm_compiler.h"
#include "lang/ddm/recording_cache.h"
#include "machine/d2now/d2now_machine.h"
#include "machine/program_machine.h"

namespace raddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

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

ProgramRun run_simulated(const std::string& executable, const RunOptions& options,
                         const machine::ParameterTable& parameters, const ProgramOutput& output,
                         const std::string& result_file) {
  SimulatedRun run(options, output);
  ddm_lang::RecordRequest request;
  request.executable = executable;
  request.arguments = options.arguments;
  request.program = options.settings.program;
  request.nodes = static_cast<std::uint32_t>(parameters.integer_in("nodes", 1, 4096));
  request.timeout_seconds = options.settings.timeout_seconds;
  const ddm_lang::Recorded recorded =
      ddm_lang::record_cached(request, cuda::cache_folder(options.output_folder));
  run.print(recorded.output);
  if (recorded.status != 0) {
    ProgramRun failed;
    failed.result_file = result_file;
    failed.status = recorded.status;
    failed.signal = recorded.signal;
    failed.out_of_time = recorded.out_of_time;
    return failed;
  }

  machine::DeviceDescription device;
  device.name = parameters.name();
  device.samples = device.traces = true;
  machine::LaunchResult launched = machine::d2now::replay(
      parameters, recorded.recording, run.begin(options.settings.program, device));
  run.end();
  machine::Peaks peaks;
  peaks.clock_hz = parameters.number("clock_hz");
  return run.result({.launch = std::move(launched),
                     .parameters = parameters,
                     .peaks = peaks,
                     .arguments = options.arguments},
                    result_file);
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
