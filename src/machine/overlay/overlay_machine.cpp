#include "machine/overlay/overlay_machine.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "machine/overlay/overlay_figures.h"
#include "machine/overlay/processor.h"
#include "machine/overlay/sampler.h"
#include "machine/overlay/schedule_trace.h"
#include "machine/program_machine.h"

namespace raddle::machine::overlay {
namespace {

const ProgramMachineRegistration kRegistration({"overlay", "programs ending in .cg and .ctm",
                                                [](const ParameterTable& table) {
                                                  OverlayParameters checked(table);
                                                }});

void add_fault(LaunchResult& result, FaultKind kind, std::string message,
               std::string location = {}) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.location = std::move(location);
  fault.kernel = result.kernel;
  fault.ends_launch = true;
  result.faults.push_back(std::move(fault));
  result.fault_count = result.faults.size();
  result.complete = false;
}

// Looks at the user's limits while the processor runs; notes the first that was reached.
class Watch {
 public:
  Watch(const LaunchOptions& options, std::uint64_t batches)
      : options_(options), batches_(batches) {}

  bool look(std::uint64_t cycles, std::uint64_t done) {
    if (options_.progress) options_.progress({cycles, done, batches_});
    if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed)) {
      is_interrupted_ = true;
    } else if (options_.deadline != std::chrono::steady_clock::time_point::max()) {
      is_late_ = std::chrono::steady_clock::now() > options_.deadline;
    }
    return !is_interrupted_ && !is_late_;
  }

  void tell(LaunchResult& result) const {
    if (is_interrupted_) return add_fault(result, FaultKind::kInterrupted, "interrupted");
    if (is_late_) return add_fault(result, FaultKind::kWatchdogTimeout, "stopped by --timeout");
    add_fault(result, FaultKind::kWatchdogCycles,
              fmt::format("stopped after {} cycles (--max-cycles)", options_.max_cycles));
  }

 private:
  const LaunchOptions& options_;
  std::uint64_t batches_;
  bool is_interrupted_ = false, is_late_ = false;
};

}  // namespace

LaunchResult OverlayMachine::run(const Configuration& configuration, HostMemory memory,
                                 const LaunchOptions& options, Schedule* schedule) const {
  check_configuration(configuration, parameters_.squares);
  std::optional<ScheduleTrace> trace;
  Schedule traced;
  if (options.trace != nullptr) {
    trace.emplace(*options.trace, parameters_, configuration.shader);
    schedule = &traced;
  }
  Processor processor(parameters_, configuration, memory, schedule);
  LaunchResult result;
  result.kernel = configuration.shader.name;
  result.mangled = configuration.shader.name;
  result.grid = {static_cast<std::uint32_t>(processor.batches()), 1, 1};
  result.block = parameters_.squares ? Dim3{2, 2, 1} : Dim3{kBatchThreads, 1, 1};
  Watch watch(options, processor.batches());
  Processor::RunOptions run;
  run.max_cycles = options.max_cycles;
  run.counts_idle_by_instruction = options.lines;
  run.may_go_on = [&](std::uint64_t cycles, std::uint64_t done) {
    if (trace) trace->write(traced);
    return watch.look(cycles, done);
  };
  std::optional<Sampler> sampler;
  if (options.sample_cycles != 0) {
    sampler.emplace(processor, parameters_, options.sample_cycles);
    run.sample_cycles = sampler->interval();
    run.sample = [&](std::uint64_t cycle) { sampler->look(cycle); };
  }
  const bool is_complete = processor.run(run);
  if (trace) trace->write(traced);
  if (processor.fault()) {
    add_fault(result, FaultKind::kTrap, processor.fault()->message,
              place_of(configuration.shader, processor.fault()->instruction));
  } else if (!is_complete) {
    watch.tell(result);
  }
  add_figures(processor, parameters_, configuration, options.lines, result);
  if (sampler) sampler->finish(result);
  return result;
}

}  // namespace raddle::machine::overlay
