#include "driver/run_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/stop_token.h"
#include "driver/driver.h"
#include "driver/interrupt_note.h"
#include "driver/simulated_run.h"
#include "experiment/result_files.h"
#include "experiment/result_json.h"
#include "experiment/result_store.h"
#include "sim/trace.h"

namespace raddle::driver {
namespace {

namespace fs = std::filesystem;

void make_output_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && fs::is_directory(folder)) return;
  throw Error(fmt::format("cannot create the output folder '{}': {}", folder,
                          error ? error.message() : "a file of this name exists"),
              {}, "choose another one with -o FOLDER");
}

// "tpa, tpa-baseline or cesm".
std::string machines_for(machine::ProgramForm form) {
  std::vector<std::string> names;
  for (const machine::MachineName& machine : machine::machine_names()) {
    if (machine::traits_of(machine::load_parameters(machine.name)).takes(form))
      names.push_back(machine.name);
  }
  const std::string last = std::move(names.back());
  names.pop_back();
  return names.empty() ? last : fmt::format("{} or {}", fmt::join(names, ", "), last);
}

void check_form(const FoundProgram& program, const machine::ParameterTable& parameters,
                const machine::Traits& traits) {
  const machine::ProgramForm form = program.driver->family().form;
  if (traits.takes(form)) return;
  throw Error(fmt::format("machine '{}' runs {}, not {}", parameters.name(),
                          machine::name_of(traits.forms.front()), machine::name_of(form)),
              program.asked, fmt::format("choose {} with -m", machines_for(form)));
}

// Where the machine's own table is right, what was set beside it is wrong.
void check_parameters(const machine::ParameterTable& parameters,
                      const experiment::RunSettings& settings) {
  try {
    machine::check_parameters(parameters);
  } catch (const Error& error) {
    if (settings.assignments.empty() || error.where() != parameters.file()) throw;
    machine::check_parameters(machine::load_parameters(settings.machine));
    throw Error(error.what(), fmt::format("--set {}", fmt::join(settings.assignments, " --set ")),
                error.hint());
  }
}

// A place that cannot be written is refused before anything runs.
void check_trace_place(const std::string& trace) {
  if (!trace.empty() && !fs::is_fifo(trace)) const sim::TraceFile probe(trace);
}

// What tells this run from others and is not in its result.
std::vector<std::string> identity_of(const FoundProgram& program, const RunRequest& request) {
  const experiment::RunSettings& settings = request.settings;
  const LaunchArguments& launch = request.launch;
  std::vector<std::string> parts{
      read_file(program.path), request.compile_flags,
      fmt::format("check {} lines {} sample {} max cycles {}",
                  settings.check ? to_text(settings.check) : "false", settings.lines,
                  settings.sample_cycles, settings.max_cycles),
      fmt::format("{} {} {} {}", launch.kernel, launch.grid, launch.block, launch.shared_bytes)};
  parts.insert(parts.end(), launch.arguments.begin(), launch.arguments.end());
  return parts;
}

// The result is safe in its file: a store that cannot be written costs a warning, not the run.
// Interrupted while it waits for the store, the run is complete, but whoever waits for its end is
// told of the signal.
void store_run(ProgramRun& run, const RunRequest& request) {
  const StopScope scope(stop_in_time(request.settings));
  try {
    experiment::ResultStore store(request.output_folder);
    store.add(*run.result, {experiment::utc_now(), run.result_file, std::nullopt});
  } catch (const Error& error) {
    print_error(fmt::format("raddle: warning: {}\n", error.full_text()));
    if (run.status == 0 && current_stop().reason() == StopReason::kInterrupted)
      run.status =
          InterruptNote::status_of(Stopped{StopReason::kInterrupted, "storing the result"});
  }
}

// A result that cannot be written fails the run, but its summary can still be shown.
void keep_result(ProgramRun& run, const experiment::ResultFiles& files,
                 const std::vector<std::string>& identity) {
  try {
    if (!run.result_file.empty()) run.result_file = files.keep(*run.result, identity);
  } catch (const Error& error) {
    print_error(fmt::format("raddle: error: {}\n", error.full_text()));
    run.result_file.clear();
    if (run.status == 0) run.status = kUserFault;
  }
}

// A run that was stopped before its first launch has a result, too: it says so.
ProgramRun stopped_run(const Stopped& stopped, const RunJob& job) {
  print_error(
      fmt::format("raddle: error: {}\n  while {}\n",
                  stopped.reason == StopReason::kTimeout ? "stopped by --timeout" : "interrupted",
                  stopped.phase));
  const experiment::RunSettings& settings = job.request.settings;
  ProgramRun run;
  run.status = InterruptNote::status_of(stopped);
  run.result_file = job.result_file;
  experiment::RunResult& result = run.result.emplace(experiment::start_result(
      settings.program, job.request.arguments, settings.machine, job.parameters, {}));
  result.partial = true;
  result.partial_reason = InterruptNote::reason_of(stopped);
  result.exit_status = run.status;
  experiment::write_result_file(result, job.result_file);
  return run;
}

// Of options for the compiler of a program that has none, or none that takes them.
void note_ignored_options(const FoundProgram& program, const RunRequest& request) {
  const auto is_one_of = [&](const std::vector<std::string>& endings) {
    return std::ranges::any_of(
        endings, [&](const std::string& ending) { return program.path.ends_with(ending); });
  };
  const Family& family = program.driver->family();
  if (!request.compile_flags.empty() && !is_one_of(family.compiled))
    print_error(fmt::format("raddle: note: --cc does not apply to {}\n", program.asked));
  if (request.verbose && !is_one_of(family.explained))
    print_error(fmt::format("raddle: note: no choices are explained for {}; -v has no effect\n",
                            program.asked));
}

ProgramRun run_job(const RunJob& job) {
  try {
    return job.program.driver->run(job);
  } catch (const Stopped& stopped) {
    return stopped_run(stopped, job);
  }
}

}  // namespace

ProgramRun run_program(const FoundProgram& program, const RunRequest& request,
                       const ProgramOutput& output, bool store) {
  const machine::ParameterTable parameters =
      machine::load_parameters(request.settings.machine, request.settings.assignments);
  const machine::Traits traits = machine::traits_of(parameters);
  check_form(program, parameters, traits);
  check_parameters(parameters, request.settings);
  check_trace_place(request.settings.trace_file);
  note_ignored_options(program, request);
  if (request.sandbox && program.driver->family().name != "cuda")
    throw Error("--sandbox is for CUDA programs", program.asked,
                program.driver->family().form == machine::ProgramForm::kDataDriven
                    ? "data-driven programs run natively and cannot be kept in one"
                    : "nothing of this program runs natively");

  make_output_folder(request.output_folder);
  const experiment::ResultFiles files(request.output_folder, program.name,
                                      fs::path(request.settings.machine).stem().string());
  const InterruptNote note;
  const StopScope scope{StopToken(InterruptNote::flag())};
  RunRequest named = request;
  named.settings.program = program.asked;
  ProgramRun run = run_job({program, named, parameters, traits, output, files.pending()});
  if (run.result) keep_result(run, files, identity_of(program, request));
  if (run.result && store && !run.result_file.empty()) store_run(run, request);
  return run;
}

}  // namespace raddle::driver
