// Fragment programs of the overlay: CTM assembly, and Cg that compiles to it.
#include <fmt/format.h>

#include "base/console.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "driver/driver.h"
#include "driver/overlay/overlay_arguments.h"
#include "driver/overlay/overlay_loader.h"
#include "driver/simulated_run.h"
#include "lang/ctm/disassembler.h"
#include "machine/overlay/host_driver.h"

namespace raddle::driver::overlay {

using machine::overlay::HostDriver;
using machine::overlay::OverlayMachine;

// --check: what the program gives on the machine must be what it gives without time.
void check_outputs(const HostDriver& driver, machine::LaunchResult& result) {
  const HostDriver::Difference difference = driver.compare_with_evaluator();
  if (difference.texels == 0) return;
  machine::Fault fault;
  fault.kind = machine::FaultKind::kTrap;
  fault.message = fmt::format(
      "{} texels differ from the untimed evaluation, the first at {}; the program may read a TEX "
      "result without waiting for the semaphore",
      difference.texels, difference.first);
  fault.kernel = result.kernel;
  result.faults.push_back(std::move(fault));
  ++result.fault_count;
}

namespace {

class OverlayDriver : public Driver {
 public:
  OverlayDriver()
      : Driver({.name = "overlay",
                .endings = {".cg", ".ctm"},
                .compiled = {".cg"},
                .drawn = {".cg"},
                .folder = "cg",
                .form = machine::ProgramForm::kFragmentPrograms,
                .default_machine = "overlay",
                .has_assembly = true}) {}

  ProgramRun run(const RunJob& job) const override {
    SimulatedRun run(job);
    const RunRequest& request = job.request;
    const OverlayMachine machine(job.parameters);
    const SplitArguments split = split_flags(request.arguments);
    LoadedShader loaded = load_shader(job.program.path, request.compile_flags + split.flags,
                                      machine.parameters().floats.fused);
    run.print_error(loaded.notes);
    ShaderHost shader(machine, std::move(loaded));
    HostDriver& host = shader.driver();
    const OverlayArguments arguments = bind_arguments(split.rest, shader);

    run.print_error(arguments.notes);
    machine::LaunchResult launched = host.start(run.begin(host.shader().name));
    run.end(machine);
    if (launched.complete) {
      if (checks_results(request)) check_outputs(host, launched);
      write_outputs(arguments, host);
    }
    return run.result(
        {.launch = std::move(launched), .machine = machine, .arguments = request.arguments});
  }

  // Cg as CTM assembly; CTM assembly as its words, .word lines with their text as comments. The
  // arguments are flags for compiling.
  std::string assemble(const FoundProgram& program, const AssemblyRequest& request) const override {
    const LoadedShader loaded = load_shader(program.path, shell_quoted(request.arguments), false);
    if (request.verbose) print_error(loaded.notes);
    return program.path.ends_with(".cg") ? ctm::disassemble(loaded.shader)
                                         : ctm::word_listing(loaded.shader);
  }

  // The values of a Cg program and how they depend on each other.
  std::optional<std::string> draw(const FoundProgram& program,
                                  const DrawRequest& request) const override {
    if (!program.path.ends_with(".cg")) return Driver::draw(program, request);
    if (!request.machine.empty())
      throw Error("the graph of a Cg program does not depend on a machine", program.asked,
                  "leave out -m");
    return draw_shader(program.path, request.compile_flags + " " + shell_quoted(request.arguments),
                       request.format);
  }

  // Words, or Cg, as CTM assembly.
  std::string disassemble(const FoundProgram& program) const override {
    return ctm::disassemble(load_shader(program.path, {}, false).shader);
  }
};
RADDLE_REGISTER_DRIVER(OverlayDriver);

}  // namespace
}  // namespace raddle::driver::overlay
