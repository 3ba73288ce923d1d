#include "cli/overlay_runner.h"

#include <fmt/format.h>

#include <chrono>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/interrupt_note.h"
#include "cli/output.h"
#include "cli/overlay_arguments.h"
#include "cli/overlay_loader.h"
#include "cli/program_family.h"
#include "experiment/launch_settings.h"
#include "lang/ctm/disassembler.h"
#include "machine/overlay/host_driver.h"
#include "report/progress_line.h"

namespace raddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
using machine::overlay::HostDriver;
using machine::overlay::OverlayMachine;

machine::Peaks peaks_of(const machine::overlay::OverlayParameters& parameters) {
  machine::Peaks peaks;
  peaks.clock_hz = parameters.clock.count();
  // One of the ALU, one of TEX, and flow control in two of four cycles.
  peaks.thread_instructions_per_cycle = 4;
  peaks.memory_bytes_per_second = parameters.link.bytes_per_second();
  return peaks;
}

machine::LaunchOptions launch_options(const RunOptions& options, Clock::time_point start,
                                      const InterruptNote& note, report::ProgressLine& progress) {
  machine::LaunchOptions launch = experiment::launch_options(options.settings);
  launch.interrupted = note.flag();
  if (options.settings.timeout_seconds > 0) {
    launch.deadline = start + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options.settings.timeout_seconds));
  }
  launch.progress = [&progress](const machine::LaunchProgress& done) { progress.update(done); };
  return launch;
}

// --check: what the program gives on the machine must be what it gives without time.
void check_outputs(const HostDriver& driver, machine::LaunchResult& result) {
  const HostDriver::Difference difference = driver.compare_with_evaluator();
  if (difference.texels == 0) return;
  machine::Fault fault;
  fault.kind = machine::FaultKind::kTrap;
  fault.message = fmt::format(
      "{} texels differ from what the program computes without time, the first at {}; a TEX's "
      "result "
      "may be read without waiting for the semaphore",
      difference.texels, difference.first);
  fault.kernel = result.kernel;
  result.faults.push_back(std::move(fault));
  ++result.fault_count;
}

ProgramRun run(const std::string& path, const RunOptions& options, const ProgramOutput& output,
               const std::string& result_file) {
  const Clock::time_point start = Clock::now();
  machine::ParameterTable table = machine::load_parameters(options.settings.machine);
  for (const std::string& assignment : options.settings.assignments) table.set(assignment);
  check_runs_on(*family_of(path), path, table);
  const OverlayMachine machine(table);
  LoadedShader loaded = load_shader(path, options.compile_flags, machine.parameters().floats.fused);
  HostDriver driver(machine, std::move(loaded.shader));
  const OverlayArguments arguments = bind_arguments(options.arguments, driver);

  const InterruptNote note;
  machine::DeviceDescription device;
  device.name = table.name();
  device.traces = true;
  device.samples = true;
  const std::string log = loaded.notes + experiment::unheeded_settings(options.settings, device);
  if (output.log_file.empty()) {
    print_error(log);
  } else {
    write_file_atomically(output.log_file, log);
  }
  report::ProgressLine progress = report::progress_line_on_terminal();
  progress.start(driver.shader().name);
  const std::unique_ptr<sim::TraceFile> trace = experiment::open_trace(options.settings, device);
  machine::LaunchOptions launch = launch_options(options, start, note, progress);
  launch.trace = trace.get();
  machine::LaunchResult launched = driver.start(launch);
  progress.clear();
  if (trace != nullptr) trace->finish();
  if (launched.complete) {
    if (options.settings.check) check_outputs(driver, launched);
    write_outputs(arguments, driver);
  }

  ProgramRun run;
  run.status = note.status_of(launched);
  run.result_file = result_file;
  run.used_device = true;
  if (trace != nullptr) run.trace_file = options.settings.trace_file;
  run.result =
      experiment::start_result(options.settings.program, options.arguments,
                               options.settings.machine, table, peaks_of(machine.parameters()));
  run.result->partial = !launched.complete;
  if (run.result->partial) run.result->partial_reason = note.reason_of(launched);
  run.result->exit_status = run.status;
  experiment::add_launch(*run.result, std::move(launched));
  run.result->host.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  run.result->host.peak_memory_bytes = experiment::peak_memory_bytes();
  experiment::write_result_file(*run.result, result_file);
  return run;
}

// Cg as CTM assembly; CTM assembly as its words, .word lines with their text as comments.
std::string assemble(const std::string& path, const AsmOptions& options) {
  // The arguments are flags for compiling.
  const LoadedShader loaded =
      load_shader(path, fmt::format("{}", fmt::join(options.arguments, " ")), false);
  if (options.verbose) print_error(loaded.notes);
  return path.ends_with(".cg") ? ctm::disassemble(loaded.shader) : ctm::word_listing(loaded.shader);
}

// Words, or Cg, as CTM assembly.
std::string disassemble(const std::string& path) {
  return ctm::disassemble(load_shader(path, {}, false).shader);
}

}  // namespace

ProgramFamily overlay_family() {
  ProgramFamily family;
  family.endings = {".cg", ".ctm"};
  family.folder = "cg";
  family.implementation = "overlay";
  family.machines = "overlay";
  family.default_machine = "overlay";
  family.run = run;
  family.assemble = assemble;
  family.disassemble = disassemble;
  return family;
}

}  // namespace raddle::cli
