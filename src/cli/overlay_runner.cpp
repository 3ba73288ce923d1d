#include "cli/overlay_runner.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/output.h"
#include "cli/overlay_arguments.h"
#include "cli/overlay_loader.h"
#include "cli/program_family.h"
#include "cli/simulated_run.h"
#include "lang/ctm/disassembler.h"
#include "machine/overlay/host_driver.h"

namespace raddle::cli {
namespace {

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
  SimulatedRun run(options, output);
  machine::ParameterTable table = machine::load_parameters(options.settings.machine);
  for (const std::string& assignment : options.settings.assignments) table.set(assignment);
  check_runs_on(*family_of(path), path, table);
  const OverlayMachine machine(table);
  LoadedShader loaded = load_shader(path, options.compile_flags, machine.parameters().floats.fused);
  HostDriver driver(machine, std::move(loaded.shader));
  const OverlayArguments arguments = bind_arguments(options.arguments, driver);

  machine::DeviceDescription device;
  device.name = table.name();
  device.lines = device.samples = device.traces = true;
  run.print_error(loaded.notes);
  machine::LaunchResult launched = driver.start(run.begin(driver.shader().name, device));
  run.end();
  if (launched.complete) {
    if (options.settings.check) check_outputs(driver, launched);
    write_outputs(arguments, driver);
  }
  return run.result({.launch = std::move(launched),
                     .parameters = table,
                     .peaks = peaks_of(machine.parameters()),
                     .arguments = options.arguments},
                    result_file);
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
