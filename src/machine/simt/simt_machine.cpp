#include "machine/simt/simt_machine.h"

#include <fmt/format.h>

#include <array>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/address_map.h"
#include "machine/energy_coefficients.h"
#include "machine/launch_check.h"
#include "machine/simt/launch_batch.h"
#include "machine/simt/sharing.h"
#include "machine/simt/split_choice.h"

namespace raddle::machine::simt {

RADDLE_REGISTER_MACHINE("simt", SimtMachine);

namespace {

// Code of kernels lies apart by this much, so that they do not share lines.
constexpr Bytes kCodeStride{1u << 20};

DeviceDescription describe(const GpuParameters& p) {
  DeviceDescription device;
  device.name = fmt::format("Raddle {}", p.name);
  device.compute_major = static_cast<int>(p.compute_major);
  device.compute_minor = static_cast<int>(p.compute_minor);
  device.memory_bytes = static_cast<std::int64_t>(p.memory_bytes.count());
  device.constant_bytes = p.constant_bytes.count();
  device.multiprocessors = static_cast<int>(p.cores);
  device.clock_khz = static_cast<int>(p.core_clock.count() / 1000);
  // CUDA counts two transfers a cycle of the memory clock.
  const memory::DramTiming& dram = p.memory.dram.timing;
  device.memory_clock_khz =
      static_cast<int>(p.memory.dram_clock.count() * dram.beats_per_cycle / 2 / 1000);
  device.memory_bus_bits = static_cast<int>(dram.bus_bytes * p.memory.channels * 8);
  device.l2_bytes = static_cast<int>(p.memory.partition.slice.bytes.count() * p.memory.slices());
  device.max_threads_per_block = static_cast<int>(p.max_threads_per_block);
  device.max_grid[0] = p.max_grid_x;
  device.max_threads_per_multiprocessor = static_cast<int>(p.core.threads);
  device.max_blocks_per_multiprocessor = static_cast<int>(p.core.blocks);
  device.registers_per_block = device.registers_per_multiprocessor =
      static_cast<int>(p.core.registers);
  device.shared_bytes_per_block = device.shared_bytes_per_multiprocessor =
      static_cast<int>(p.core.shared_bytes);
  device.register_unit = static_cast<int>(p.core.register_unit);
  device.shared_unit = static_cast<int>(p.core.shared_unit);
  device.host_link_bytes_per_second = p.host_link_bytes_per_second;
  device.splits_l1 = p.core.split_switches;
  device.concurrent_kernels = static_cast<int>(p.kernels);
  return device;
}

bool has_whole_core_power(const energy::CoefficientSet& set) {
  return set.watts[static_cast<std::size_t>(energy::StaticPower::idle_core_power)].has_value();
}

energy::CoefficientSet coefficients_for(const GpuParameters& p) {
  energy::CoefficientSet set = load_coefficients(p.energy);
  if (p.sharing.any() && has_whole_core_power(set))
    throw Error(fmt::format("the energy set '{}' gives the power of an SM only as a total; "
                            "sharing needs it by part",
                            set.name),
                {}, "--set energy=circuit or --set energy=card-parts");
  return set;
}

}  // namespace

SimtMachine::SimtMachine(const ParameterTable& table)
    : KernelMachine(table),
      parameters_(table),
      kernel_settings_(parameters_.sharing),
      coefficients_(coefficients_for(parameters_)),
      description_(describe(parameters_)),
      gpu_(std::make_unique<Gpu>(parameters_)) {}

Traits SimtMachine::traits(const ParameterTable& /*table*/) {
  return {.forms = {ProgramForm::kKernels},
          .honours = {RunOption::kCheck, RunOption::kLines, RunOption::kSample, RunOption::kTrace,
                      RunOption::kMaxCycles, RunOption::kTimeout, RunOption::kHostThreads},
          .finds = checks_from_text("memory,barrier")};
}

void SimtMachine::check_parameters(const GpuParameters& parameters) {
  coefficients_for(parameters);
}

Peaks SimtMachine::peaks() const {
  const GpuParameters& p = parameters_;
  const memory::DramTiming& dram = p.memory.dram.timing;
  return {.clock_hz = p.core_clock.count(),
          .thread_instructions_per_cycle = static_cast<double>(p.cores) * p.core.schedulers *
                                           kernel::exec::kLanes / p.core.issue_interval.as_double(),
          .memory_bytes_per_second = p.memory.dram_clock.count() * p.memory.channels *
                                     static_cast<double>(dram.peak_bytes_per_cycle().count())};
}

SimtMachine::~SimtMachine() = default;

void SimtMachine::host_wrote(Address address, Bytes bytes) { gpu_->host_wrote(address, bytes); }

PreparedKernel& SimtMachine::prepared(const kernel::Program& program, kernel::FunctionRef kernel) {
  const std::pair version(program.identity(), program.module_count());
  if (version != prepared_version_) prepared_.clear();
  if (version.first != prepared_version_.first) code_addresses_.clear();
  prepared_version_ = version;
  PreparedKernel& entry = prepared_[{kernel.module, kernel.function}];
  if (entry.decoded == nullptr) {
    entry.decoded = kernel::exec::decode(program, kernel);
    entry.table = std::make_unique<IssueTable>(*entry.decoded, parameters_.core);
  }
  return entry;
}

Address SimtMachine::code_address(kernel::FunctionRef kernel) {
  const Address next = Address(kernel::kCodeBase) + kCodeStride * (code_addresses_.size() + 1);
  return code_addresses_.try_emplace({kernel.module, kernel.function}, next).first->second;
}

Occupancy SimtMachine::occupancy(kernel::Program& program, const Launch& launch) {
  program.link();
  const PreparedKernel& kernel = prepared(program, launch.kernel);
  const auto needs_on = [&](const CoreParameters& core) {
    return block_needs(launch.block.count(), kernel.table->registers_per_thread(),
                       kernel.decoded->static_shared_bytes + launch.dynamic_shared_bytes, core);
  };
  const SplitChoice split =
      choose_split(launch, needs_on(parameters_.core), gpu_->split(), parameters_);
  const SharingMode mode =
      mode_of(parameters_.sharing, demangled(kernel.decoded->entry().ir->name));
  const CoreParameters active =
      borrowing(divided(parameters_.core, split), mode, parameters_.sharing);
  return occupancy_of(needs_on(active), active);
}

// A block that fits nowhere would wait for ever.
void SimtMachine::check_fits(const PreparedKernel& kernel, const Launch& launch) const {
  const BlockNeeds needs = block_needs(
      launch.block.count(), kernel.table->registers_per_thread(),
      kernel.decoded->static_shared_bytes + launch.dynamic_shared_bytes, parameters_.core);
  const SplitChoice split = choose_split(launch, needs, SplitChoice::kTable, parameters_);
  const OccupancyLimit limit = occupancy_limit(needs, divided(parameters_.core, split));
  if (limit.blocks > 0) return check_resident(kernel, launch, limit.blocks, split);
  throw Error(
      fmt::format("kernel '{}' cannot be launched: a block of {} threads needs more {} than a "
                  "multiprocessor of {} has",
                  demangled(kernel.decoded->entry().ir->name), launch.block.count(), limit.reason,
                  parameters_.name),
      {}, "launch smaller blocks");
}

// Blocks of a cooperative launch wait for each other, so all must be there: with sleepers, fewer
// are.
void SimtMachine::check_resident(const PreparedKernel& kernel, const Launch& launch,
                                 std::uint32_t alone, SplitChoice split) const {
  const std::string name = demangled(kernel.decoded->entry().ir->name);
  const SharingMode mode = mode_of(parameters_.sharing, name);
  if (!launch.cooperative || mode == SharingMode::kBaseline) return;
  const SharingPlan plan = plan_sharing(mode, parameters_.cores);
  const CoreParameters active =
      borrowing(divided(parameters_.core, split), mode, parameters_.sharing);
  const BlockNeeds needs =
      block_needs(launch.block.count(), kernel.table->registers_per_thread(),
                  kernel.decoded->static_shared_bytes + launch.dynamic_shared_bytes, active);
  const std::uint64_t room =
      std::uint64_t{occupancy_limit(needs, active).blocks} * plan.count(CoreRole::kActive) +
      std::uint64_t{alone} * plan.count(CoreRole::kAlone);
  if (launch.grid.count() <= room) return;
  throw Error(
      fmt::format("kernel '{}' cannot be launched cooperatively: only {} of {} blocks can be "
                  "resident at once "
                  "when SMs share as '{}'",
                  name, room, launch.grid.count(), kSharingModes[static_cast<std::size_t>(mode)]),
      {}, "launch it with --set sharing=baseline");
}

SharingChoice SimtMachine::sharing_of(const PreparedKernel& kernel, const Launch& launch) {
  const std::string name = demangled(kernel.decoded->entry().ir->name);
  const bool asked =
      !parameters_.sharing.automatic || parameters_.sharing.by_kernel.contains(plain_name(name));
  if (asked) return {mode_of(parameters_.sharing, name), {}};
  SharingChoice choice = choose_sharing(kernel, launch, parameters_, last_mode_);
  last_mode_ = choice.mode;
  return choice;
}

GpuTrace* SimtMachine::trace_to(sim::TraceFile* file) {
  if (file == nullptr) {
    trace_.reset();
  } else if (trace_ == nullptr || trace_->file() != file) {
    trace_ = std::make_unique<GpuTrace>(*file, parameters_);
  }
  gpu_->trace_with(trace_.get());
  return trace_.get();
}

PreparedKernel& SimtMachine::checked(kernel::Program& program, const Launch& launch) {
  program.link();
  PreparedKernel& kernel = prepared(program, launch.kernel);
  check_launch(*kernel.decoded, launch, description_, traits(table()));
  check_fits(kernel, launch);
  return kernel;
}

void SimtMachine::check(kernel::Program& program, const Launch& launch) {
  checked(program, launch);
}

LaunchResult SimtMachine::launch(kernel::Program& program, const kernel::TextureTable& textures,
                                 const Launch& launch, const LaunchOptions& options) {
  const std::array alone{QueuedLaunch{launch, 0}};
  return std::move(*launch_together(program, textures, alone, options).front());
}

std::vector<std::optional<LaunchResult>> SimtMachine::launch_together(
    kernel::Program& program, const kernel::TextureTable& textures,
    std::span<const QueuedLaunch> launches, const LaunchOptions& options) {
  std::vector<PreparedKernel*> all;
  all.reserve(launches.size());
  for (const QueuedLaunch& queued : launches) all.push_back(&checked(program, queued.launch));
  if (!kernel_settings_.all_met()) {
    for (const PreparedKernel* kernel : all)
      kernel_settings_.note_launch(program, demangled(kernel->decoded->entry().ir->name));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i]->code_address = code_address(launches[i].launch.kernel);
  const std::vector<const PreparedKernel*> kernels(all.begin(), all.end());
  std::vector<SharingChoice> choices;
  for (std::size_t i = 0; i < all.size(); ++i)
    choices.push_back(sharing_of(*all[i], launches[i].launch));
  LaunchBatch batch(
      *gpu_, parameters_, coefficients_,
      {program, textures, launches, kernels, options, trace_to(options.trace), choices});
  std::vector<std::optional<LaunchResult>> results = batch.run();
  // What a stopped launch left behind in queues and caches is not worth sorting out.
  if (batch.stopped()) {
    if (trace_ != nullptr) trace_->restart(gpu_->now());
    gpu_ = std::make_unique<Gpu>(parameters_);
  }
  return results;
}

}  // namespace raddle::machine::simt
