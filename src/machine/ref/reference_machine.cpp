#include "machine/ref/reference_machine.h"

#include <algorithm>
#include <optional>

#include "kernel/check/race_report.h"
#include "machine/block_occupancy.h"
#include "machine/grid_result.h"
#include "machine/instruction_totals.h"
#include "machine/launch_check.h"
#include "machine/ref/block_runner.h"
#include "machine/resident_blocks.h"

namespace raddle::machine::ref {

using kernel::exec::GridState;

RADDLE_REGISTER_MACHINE("ref", ReferenceMachine);

namespace {

constexpr std::size_t kDescribedWarps = 64;

// The blocks of a launch, and when to give up.
class Grid {
 public:
  Grid(GridState& state, Counts& counts, const LaunchOptions& options, LaunchChecks& checks,
       std::uint64_t resident_limit, std::int64_t slice)
      : state_(state),
        control_(options.control),
        limits_{control_.cycle_limit(), [this] { look(); }},
        blocks_(state.launch.grid.count(), resident_limit, slice, [this, &counts, &checks] {
          return std::make_unique<BlockRunner>(state_, counts, limits_, checks);
        }) {}

  // Throws RunStopped.
  void run() {
    try {
      blocks_.run();
    } catch (const LimitReached&) {
      throw control_.limit_reached();
    }
  }

  void describe(std::vector<std::string>& lines) const { blocks_.describe(lines, kDescribedWarps); }

 private:
  void look() const {
    control_.look({Cycle(state_.clock), blocks_.finished(), state_.launch.grid.count()});
  }

  GridState& state_;
  const RunControl& control_;
  RunLimits limits_;
  ResidentBlocks<BlockRunner> blocks_;
};

// Class and line figures follow from how often each block ran.
void count_instructions(const kernel::exec::DecodedKernel& kernel, const Counts& counts,
                        LaunchResult& result, bool lines) {
  InstructionTotals totals(result, lines);
  for (std::size_t f = 0; f < counts.functions.size(); ++f) {
    const kernel::exec::DecodedFunction& function = *kernel.functions[f];
    const FunctionCounters& counters = counts.functions[f];
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
      const kernel::exec::DecodedInstruction& d = function.code[pc];
      const bool in_cut = counts.cut.function == &counters && counts.cut.block == d.block &&
                          pc - function.blocks[d.block].first < counts.cut.instructions;
      totals.add(function, d, counters.block_warps[d.block] + (in_cut ? 1 : 0),
                 counters.block_threads[d.block] + (in_cut ? counts.cut.threads : 0) -
                     counters.skipped_threads[pc]);
    }
  }
  totals.finish();
}

}  // namespace

ReferenceMachine::ReferenceMachine(const ParameterTable& table)
    : KernelMachine(table), parameters_(table) {}

Traits ReferenceMachine::traits(const ParameterTable& /*table*/) {
  return {
      .forms = {ProgramForm::kKernels},
      .honours = {RunOption::kCheck, RunOption::kLines, RunOption::kMaxCycles, RunOption::kTimeout},
      .passes_values_between_threads = true};
}

Peaks ReferenceMachine::peaks() const {
  return {.clock_hz = parameters_.clock_hz,
          .thread_instructions_per_cycle = kernel::exec::kLanes};  // one warp a cycle
}

const kernel::exec::DecodedKernel& ReferenceMachine::decoded(const kernel::Program& program,
                                                             kernel::FunctionRef kernel) {
  const std::pair version(program.identity(), program.module_count());
  if (version != decoded_version_) {
    decoded_.clear();
    registers_.clear();
  }
  decoded_version_ = version;
  auto& entry = decoded_[{kernel.module, kernel.function}];
  if (!entry) {
    entry = kernel::exec::decode(program, kernel);
    registers_[entry.get()] = registers_per_thread(*entry, description());
  }
  return *entry;
}

Occupancy ReferenceMachine::occupancy(kernel::Program& program, const Launch& launch) {
  program.link();
  const kernel::exec::DecodedKernel& kernel = decoded(program, launch.kernel);
  return block_occupancy(kernel, registers_[&kernel], launch, parameters_.device);
}

LaunchResult ReferenceMachine::launch(kernel::Program& program,
                                      const kernel::TextureTable& textures, const Launch& launch,
                                      const LaunchOptions& options) {
  program.link();
  const kernel::exec::DecodedKernel& kernel = decoded(program, launch.kernel);
  const DeviceDescription& device = parameters_.device;
  check_launch(kernel, launch, device, traits(table()));
  GridState state(program, textures, kernel, launch,
                  {.check = options.check,
                   .stack_bytes = parameters_.stack_bytes,
                   .multiprocessors = static_cast<std::uint32_t>(device.multiprocessors),
                   .print = options.print});
  Counts counts(kernel);
  if (parameters_.track_communication) counts.communication.emplace(launch.block);

  LaunchResult result = start_launch_result(state);
  result.kernel_launch->registers_per_thread = registers_[&kernel];
  result.kernel_launch->occupancy = occupancy(program, launch);
  const auto limit = std::uint64_t{std::max(1u, result.kernel_launch->occupancy.blocks_per_core)} *
                     static_cast<std::uint64_t>(device.multiprocessors);
  LaunchChecks checks;
  if (options.check.race) checks.races.emplace(state);
  if (options.check.init) checks.init.emplace(state);
  Grid grid(state, counts, options, checks, limit, parameters_.slice);
  try {
    grid.run();
  } catch (const kernel::exec::LaunchStopped&) {
    result.complete = false;
  } catch (const RunStopped& stopped) {
    result.complete = false;
    Fault fault = stopped.fault(state.kernel_name);
    grid.describe(fault.details);
    state.add_fault(std::move(fault));
  }

  if (checks.races) kernel::check::report_races(*checks.races, state);
  if (checks.init) checks.init->report();
  count_instructions(kernel, counts, result, options.lines);
  result.cycles = result.warp_instructions;
  result.seconds = static_cast<double>(result.cycles) / parameters_.clock_hz;
  result.branches = counts.branches;
  result.divergent_branches = counts.divergent_branches;
  result.barriers = counts.barrier_arrivals;
  result.memory = counts.accesses.result();
  if (counts.communication) result.histograms = counts.communication->histograms();
  take_faults(state, result);
  return result;
}

}  // namespace raddle::machine::ref
