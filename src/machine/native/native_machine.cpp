#include "machine/native/native_machine.h"

#include "base/error.h"
#include "kernel/exec/warp_interpreter.h"
#include "machine/block_occupancy.h"
#include "machine/grid_result.h"
#include "machine/launch_check.h"
#include "machine/resident_blocks.h"

namespace raddle::machine::native {

using kernel::exec::CompiledCode;
using kernel::exec::GridState;

RADDLE_REGISTER_MACHINE("native", NativeMachine);

namespace {

constexpr std::size_t kDescribedWarps = 64;

// The code that warps run, if there is any yet, and the clock of the launch.
struct Execution {
  const std::vector<CompiledCode>* code = nullptr;
  std::uint64_t interpreted = 0;  // warp instructions
};

class NativeObserver : public kernel::exec::SilentObserver {
 public:
  NativeObserver(GridState& grid, Execution& execution) : grid_(grid), execution_(execution) {}

  const CompiledCode* compiled(const kernel::exec::DecodedFunction& function) const {
    const std::vector<CompiledCode>& code = *execution_.code;
    if (code.empty()) return nullptr;
    return code.size() == 1 ? code.data() : &code[grid_.index_of(function)];
  }
  void ran_compiled(std::int64_t instructions) {
    grid_.clock += static_cast<std::uint64_t>(instructions);
  }
  void begin_block(kernel::BlockId /*block*/, std::uint32_t instructions,
                   kernel::exec::LaneMask /*lanes*/) {
    grid_.clock += instructions;
    execution_.interpreted += instructions;
  }

 private:
  GridState& grid_;
  Execution& execution_;
};

// What all blocks of a launch observe while they run.
struct Looking {
  std::function<void()> look;  // called now and then; may throw
  Cycle next{};
};

class BlockRunner {
 public:
  BlockRunner(GridState& grid, Execution& execution, Looking& looking)
      : grid_(grid), execution_(execution), looking_(looking), block_(grid) {}

  void begin(std::uint64_t block_number) {
    block_.begin(block_number);
    next_warp_ = 0;
  }
  bool run(std::int64_t slice) {
    NativeObserver observer(grid_, execution_);
    const auto run_warp = [&](kernel::exec::WarpState& warp, std::int64_t& turn) {
      return kernel::exec::WarpInterpreter(grid_, block_, warp, observer).run(turn);
    };
    const auto look = [&] {
      const Cycle now(grid_.clock);
      if (now < looking_.next) return;
      looking_.next = now + kCyclesBetweenLooks;
      looking_.look();
    };
    return run_slice_of(block_, next_warp_, slice, run_warp, look);
  }
  const kernel::exec::ThreadBlock& block() const { return block_; }

 private:
  GridState& grid_;
  Execution& execution_;
  Looking& looking_;
  kernel::exec::ThreadBlock block_;
  std::size_t next_warp_ = 0;
};

}  // namespace

NativeMachine::NativeMachine(const ParameterTable& table)
    : KernelMachine(table), parameters_(table) {}

Traits NativeMachine::traits(const ParameterTable& /*table*/) {
  return {.forms = {ProgramForm::kKernels},
          .honours = {RunOption::kTimeout},
          .passes_values_between_threads = true,
          .simulated = false};
}

Peaks NativeMachine::peaks() const {
  return {.clock_hz = parameters_.clock_hz, .thread_instructions_per_cycle = kernel::exec::kLanes};
}

NativeMachine::Entry& NativeMachine::entry_of(const kernel::Program& program,
                                              kernel::FunctionRef kernel) {
  const std::pair version(program.identity(), program.module_count());
  if (version != version_) entries_.clear();
  version_ = version;
  Entry& entry = entries_[{kernel.module, kernel.function}];
  if (!entry.decoded) {
    entry.decoded = kernel::exec::decode(program, kernel);
    entry.registers = registers_per_thread(*entry.decoded, description());
    entry.compiled = std::make_unique<CompiledKernel>(*entry.decoded);
  }
  return entry;
}

Occupancy NativeMachine::occupancy(kernel::Program& program, const Launch& launch) {
  program.link();
  const Entry& entry = entry_of(program, launch.kernel);
  return block_occupancy(*entry.decoded, entry.registers, launch, parameters_.device);
}

LaunchResult NativeMachine::launch(kernel::Program& program, const kernel::TextureTable& textures,
                                   const Launch& launch, const LaunchOptions& options) {
  program.link();
  Entry& entry = entry_of(program, launch.kernel);
  const kernel::exec::DecodedKernel& kernel = *entry.decoded;
  const DeviceDescription& device = parameters_.device;
  check_launch(kernel, launch, device, traits(table()));
  GridState state(program, textures, kernel, launch,
                  {.check = false,
                   .stack_bytes = parameters_.stack_bytes,
                   .multiprocessors = static_cast<std::uint32_t>(device.multiprocessors),
                   .print = options.print});
  LaunchResult result = start_launch_result(state);
  result.kernel_launch->registers_per_thread = entry.registers;
  result.kernel_launch->occupancy = occupancy(program, launch);
  const auto limit = std::uint64_t{std::max(1u, result.kernel_launch->occupancy.blocks_per_core)} *
                     static_cast<std::uint64_t>(device.multiprocessors);

  // Threads that pass values to each other are the interpreter's.
  const bool compilable =
      kernel.channels == 0 && launch.parameters.size() >= kernel.entry().incoming_bytes;
  const auto after = static_cast<std::uint64_t>(parameters_.compile_after);
  if (compilable && after == 0) {
    entry.compiled->start();
    entry.compiled->wait();
  }
  Execution execution{.code = &entry.compiled->functions()};
  Looking looking;
  ResidentBlocks<BlockRunner> blocks(launch.grid.count(), limit, parameters_.slice, [&] {
    return std::make_unique<BlockRunner>(state, execution, looking);
  });
  looking.look = [&] {
    options.control.look({Cycle(state.clock), blocks.finished(), launch.grid.count()});
    execution.code = &entry.compiled->functions();
    if (compilable && entry.interpreted_instructions + execution.interpreted >= after)
      entry.compiled->start();
  };
  try {
    blocks.run();
  } catch (const kernel::exec::LaunchStopped&) {
    result.complete = false;
  } catch (const RunStopped& stopped) {
    result.complete = false;
    Fault fault = stopped.fault(state.kernel_name);
    blocks.describe(fault.details, kDescribedWarps);
    state.add_fault(std::move(fault));
  }
  entry.interpreted_instructions += execution.interpreted;
  if (failure_.empty()) failure_ = entry.compiled->failure();

  result.warp_instructions = state.clock;
  result.cycles = state.clock;
  result.seconds = static_cast<double>(result.cycles) / parameters_.clock_hz;
  take_faults(state, result);
  return result;
}

std::vector<Error> NativeMachine::remarks() const {
  if (failure_.empty()) return {};
  return {Error(fmt::format("a kernel ran on the interpreter: {}", failure_), {},
                "results are correct, but took longer")};
}

}  // namespace raddle::machine::native
