#include "machine/overlay/overlay_machine.h"

#include <fmt/format.h>

#include <optional>

#include "machine/overlay/overlay_figures.h"
#include "machine/overlay/processor.h"
#include "machine/overlay/processor_sampler.h"
#include "machine/overlay/schedule_trace.h"

namespace raddle::machine::overlay {

RADDLE_REGISTER_MACHINE("overlay", OverlayMachine);

namespace {

void end_early(LaunchResult& result, const RunStopped& why, std::string location = {}) {
  result.faults.push_back(why.fault(result.kernel));
  result.faults.back().location = std::move(location);
  result.fault_count = result.faults.size();
  result.complete = false;
}

}  // namespace

Traits OverlayMachine::traits(const ParameterTable& /*table*/) {
  return {.forms = {ProgramForm::kFragmentPrograms},
          .honours = {RunOption::kCheck, RunOption::kLines, RunOption::kSample, RunOption::kTrace,
                      RunOption::kMaxCycles, RunOption::kTimeout},
          // What is checked are the results, against an interpreter's.
          .finds = Checks()};
}

Peaks OverlayMachine::peaks() const {
  return {.clock_hz = parameters_.clock.count(),
          // One of the ALU, one of TEX, and flow control in two of four cycles.
          .thread_instructions_per_cycle = 4,
          .memory_bytes_per_second = parameters_.link.bytes_per_second()};
}

bool OverlayMachine::has_square_batches(const Configuration& configuration) const {
  if (parameters_.batch_shape != BatchShape::kByProgram)
    return parameters_.batch_shape == BatchShape::kSquare;
  return compares_neighbours(configuration);
}

LaunchResult OverlayMachine::run(const Configuration& configuration, HostMemory memory,
                                 const LaunchOptions& options, Schedule* schedule) const {
  const bool squares = has_square_batches(configuration);
  check_configuration(configuration, squares);
  std::optional<ScheduleTrace> trace;
  Schedule traced;
  if (options.trace != nullptr) {
    trace.emplace(*options.trace, parameters_, configuration.shader);
    schedule = &traced;
  }
  Processor processor(parameters_, configuration, memory, squares, schedule);
  LaunchResult result;
  result.kernel = configuration.shader.name;
  Processor::RunOptions run;
  run.cycle_limit = options.control.cycle_limit();
  run.counts_idle_by_instruction = options.lines;
  run.look = [&](Cycle cycles, std::uint64_t done) {
    if (trace) trace->write(traced);
    options.control.look({cycles, done, processor.batches()});
  };
  std::optional<Sampler> sampler;
  if (options.sample_cycles != Cycle(0)) {
    sampler = processor_sampler(processor, parameters_, options.sample_cycles);
    run.sample_cycles = sampler->interval();
    run.sample = [&](Cycle cycle) { sampler->take(cycle); };
  }
  try {
    if (!processor.run(run)) throw options.control.limit_reached();
  } catch (const RunStopped& stopped) {
    end_early(result, stopped);
  }
  if (trace) trace->write(traced);
  if (processor.fault()) {
    end_early(result, {FaultKind::kTrap, processor.fault()->message},
              place_of(configuration.shader, processor.fault()->instruction));
  }
  add_figures(processor, parameters_, configuration, options.lines, result);
  if (sampler) sampler->finish(result, processor.counts().cycles);
  return result;
}

}  // namespace raddle::machine::overlay
