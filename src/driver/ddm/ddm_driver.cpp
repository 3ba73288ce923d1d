// Data-driven C++ programs (.ddm.cpp): on this host (-m ddm), or recorded and replayed on d2now.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "base/cache_folder.h"
#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/shell_words.h"
#include "driver/ddm/cxx_command.h"
#include "driver/driver.h"
#include "driver/simulated_run.h"
#include "experiment/launch_settings.h"
#include "lang/cuda/compile_cache.h"
#include "lang/cuda/process.h"
#include "lang/ddm/ddm_compiler.h"
#include "lang/ddm/race_check.h"
#include "lang/ddm/recording_cache.h"
#include "machine/d2now/d2now_machine.h"

namespace raddle::driver::ddm {
namespace {

using Clock = std::chrono::steady_clock;

ddm_lang::CompiledProgram compile(const std::string& path, const std::string& flags,
                                  const std::string& output_folder, bool instrument) {
  ddm_lang::CompileRequest request;
  request.inputs = {path};
  request.flags = shell_words(flags);
  request.instrument = instrument;
  return ddm_lang::compile_cached(request, cache_folder(output_folder));
}

// Runs the program once more, with all accesses to memory watched. Whether it was, and
// nothing was found.
bool passes_check(const RunJob& job) {
  const RunRequest& request = job.request;
  ddm_lang::CompileRequest compile;
  compile.inputs = {job.program.path};
  compile.flags = shell_words(request.compile_flags);
  compile.instrument = true;
  compile.lines = true;
  const ddm_lang::CompiledProgram compiled =
      ddm_lang::compile_cached(compile, cache_folder(request.output_folder));
  if (compiled.status != 0) return true;  // the run itself says why
  const StopScope scope(stop_in_time(request.settings));
  const auto races = ddm_lang::check_for_races(compiled.executable, request.arguments);
  if (!races) {
    print_error(fmt::format("raddle: note: {}: not checked, as the program did not end normally\n",
                            request.settings.program));
    return false;
  }
  if (races->empty()) return true;
  print_error(
      fmt::format("raddle: {}: threads race: arcs are missing\n{}hint: add arcs with "
                  "then(…), or give each thread a place of its own and combine them in a "
                  "thread after all\n",
                  request.settings.program, *races));
  return false;
}

ProgramRun run_on_host(const std::string& executable, const RunJob& job) {
  const RunRequest& request = job.request;
  const Clock::time_point start = Clock::now();
  cuda::Command command;
  command.arguments.push_back(executable);
  command.arguments.insert(command.arguments.end(), request.arguments.begin(),
                           request.arguments.end());
  // The runtime's own timeline, in the format that Chrome's tools and Perfetto read.
  constexpr std::string_view kTrace = "RADDLE_DDM_TRACE=";
  const std::string& trace = request.settings.trace_file;
  if (!trace.empty()) {
    command.environment.push_back(std::string(kTrace) + std::filesystem::absolute(trace).string());
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_replaced = !trace.empty() && std::string_view(*variable).starts_with(kTrace);
    if (!is_replaced) command.environment.emplace_back(*variable);
  }
  print_error(experiment::ignored_settings(request.settings, job.traits));
  cuda::Streams streams;
  streams.output_to_error = job.output.to_error || !job.output.log_file.empty();
  streams.error_file = job.output.log_file;
  const StopScope scope(stop_in_time(request.settings));
  cuda::Process process(command, streams);
  ProgramRun run;
  run.status = process.wait("running the program");
  run.signal = process.signal();
  run.result_file = job.result_file;
  run.trace_file = trace;
  run.result = experiment::start_result(request.settings.program, request.arguments,
                                        request.settings.machine, job.parameters, {});
  run.result->exit_status = run.status;
  run.result->host.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  experiment::write_result_file(*run.result, job.result_file);
  return run;
}

ProgramRun run_simulated(const std::string& executable, const RunJob& job) {
  const RunRequest& request = job.request;
  SimulatedRun run(job);
  const machine::d2now::D2nowMachine machine(job.parameters);
  ddm_lang::RecordRequest record;
  record.executable = executable;
  record.arguments = request.arguments;
  record.program = request.settings.program;
  record.nodes = machine.parameters().nodes;
  const ddm_lang::Recorded recorded =
      ddm_lang::record_cached(record, cache_folder(request.output_folder));
  run.print(recorded.output);
  if (recorded.status != 0) {
    ProgramRun failed;
    failed.result_file = job.result_file;
    failed.status = recorded.status;
    failed.signal = recorded.signal;
    return failed;
  }

  std::string race;
  machine::LaunchResult launched =
      machine.replay(recorded.recording, run.begin(request.settings.program), &race);
  run.end(machine);
  if (!race.empty()) {
    print_error(fmt::format("raddle: note: {}: {}\n", request.settings.program, race));
    print_error("hint: add an arc with then(…); results may differ on other machines\n");
  }
  return run.result(
      {.launch = std::move(launched), .machine = machine, .arguments = request.arguments});
}

class DdmDriver : public Driver {
 public:
  DdmDriver()
      : Driver({.name = "ddm",
                .endings = {".ddm.cpp"},
                .compiled = {".ddm.cpp"},
                .folder = "ddm",
                .form = machine::ProgramForm::kDataDriven,
                .default_machine = "d2now"}) {}

  PreparedProgram prepare(const FoundProgram& program, const std::string& compile_flags,
                          const std::string& output_folder) const override {
    const ddm_lang::CompiledProgram compiled =
        compile(program.path, compile_flags, output_folder, true);
    return {.file = compiled.executable,
            .status = compiled.status,
            .diagnostics = compiled.diagnostics};
  }

  std::vector<HostTool> host_tools() const override {
    return {{"mpirun", "starts programs made by raddle c++ --mpi", "openmpi-bin",
             cuda::find_tool("mpirun"), true}};
  }

  ProgramRun run(const RunJob& job) const override {
    const ddm_lang::CompiledProgram compiled = [&] {
      const StopScope scope(stop_in_time(job.request.settings));
      return compile(job.program.path, job.request.compile_flags, job.request.output_folder,
                     job.traits.simulated);
    }();
    print_error(compiled.diagnostics);
    if (compiled.status != 0) return {.status = kUserFault, .compiled = false};
    const bool passes = !job.request.settings.check.race || passes_check(job);
    ProgramRun run = job.traits.simulated ? run_simulated(compiled.executable, job)
                                          : run_on_host(compiled.executable, job);
    if (!passes && run.status == 0) run.status = kUserFault;
    return run;
  }

  std::vector<Tool> tools() const override {
    return {{"c++", "compile data-driven programs, with clang's flags", cxx_command}};
  }
};
RADDLE_REGISTER_DRIVER(DdmDriver);

}  // namespace
}  // namespace raddle::driver::ddm
