#include "machine/cgra/cgra_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/address_map.h"
#include "kernel/analysis/call_inlining.h"
#include "machine/cgra/fabric/core_work.h"
#include "machine/cgra/fabric/polling_watch.h"
#include "machine/cgra/figures/fabric_sampler.h"
#include "machine/cgra/figures/launch_figures.h"
#include "machine/cgra/figures/line_figures.h"
#include "machine/cgra/map/kernel_mapping.h"
#include "machine/energy_coefficients.h"
#include "machine/grid_result.h"
#include "machine/launch_check.h"

namespace raddle::machine::cgra {

RADDLE_REGISTER_MACHINE("cgra", CgraMachine);

using kernel::exec::GridState;
using kernel::exec::kLanes;

namespace {

constexpr std::uint64_t kQuantaBetweenLooks = 64;

DeviceDescription describe(const CgraParameters& p) {
  DeviceDescription device;
  device.name = fmt::format("Raddle {}", p.name);
  device.compute_major = 2;
  device.compute_minor = 0;
  device.memory_bytes = static_cast<std::int64_t>(p.memory_bytes);
  device.constant_bytes = p.constant_bytes;
  device.multiprocessors = static_cast<int>(p.fabric.cores);
  device.clock_khz = static_cast<int>(p.fabric.core_clock.count() / 1000);
  const memory::MemorySystemSpec& memory = p.fabric.memory;
  device.memory_clock_khz =
      static_cast<int>(memory.dram_clock.count() * memory.dram.timing.beats_per_cycle / 2 / 1000);
  device.memory_bus_bits = static_cast<int>(memory.dram.timing.bus_bytes * memory.channels * 8);
  device.l2_bytes = static_cast<int>(memory.partition.slice.bytes.count() * memory.slices());
  device.max_threads_per_multiprocessor = static_cast<int>(p.threads);
  device.shared_bytes_per_block = static_cast<int>(p.shared_bytes);
  device.shared_bytes_per_multiprocessor = static_cast<int>(p.shared_bytes);
  device.host_link_bytes_per_second = p.host_link_bytes_per_second;
  return device;
}

}  // namespace

CgraMachine::CgraMachine(const ParameterTable& table)
    : KernelMachine(table),
      parameters_(table),
      coefficients_(load_coefficients(parameters_.energy)),
      description_(describe(parameters_)),
      grid_(parameters_.grid),
      fabric_(std::make_unique<Fabric>(parameters_.fabric)) {}

Traits CgraMachine::traits(const ParameterTable& table) {
  return {.forms = {ProgramForm::kKernels},
          .honours = {RunOption::kCheck, RunOption::kLines, RunOption::kSample, RunOption::kTrace,
                      RunOption::kMaxCycles, RunOption::kTimeout},
          .finds = checks_from_text("memory,barrier"),
          .passes_values_between_threads = table.boolean("device.inter_thread")};
}

void CgraMachine::check_parameters(const CgraParameters& parameters) {
  load_coefficients(parameters.energy);
  parameters.fabric.check();
  const Grid grid(parameters.grid);
}

Peaks CgraMachine::peaks() const {
  const FabricParameters& fabric = parameters_.fabric;
  const memory::MemorySystemSpec& memory = fabric.memory;
  const std::uint32_t units = std::accumulate(fabric.units.begin(), fabric.units.end(), 0u);
  return {.clock_hz = fabric.core_clock.count(),
          .thread_instructions_per_cycle = static_cast<double>(fabric.cores) * units,
          .memory_bytes_per_second =
              memory.dram_clock.count() * memory.channels *
              static_cast<double>(memory.dram.timing.peak_bytes_per_cycle().count())};
}

void CgraMachine::host_wrote(Address address, Bytes bytes) { fabric_->host_wrote(address, bytes); }

void CgraMachine::compile(const kernel::Program& program, const Launch& launch,
                          CompiledKernel& out) const {
  MappedKernel mapped = map_kernel(kernel::inline_calls(program, launch.kernel, "a fabric"),
                                   program.module(launch.kernel.module), parameters_, grid_,
                                   {launch.block.x, launch.block.y, launch.block.z});
  out.kernel = std::move(mapped.kernel);
  out.mappings = std::move(mapped.mappings);
  out.decoded = kernel::exec::decode(program, launch.kernel, out.kernel.function);
}

const CompiledKernel& CgraMachine::compiled(kernel::Program& program, const Launch& launch) {
  program.link();
  const std::pair version(program.identity(), program.module_count());
  if (version != compiled_version_) compiled_.clear();
  compiled_version_ = version;
  const std::array shape{launch.block.x, launch.block.y, launch.block.z};
  auto& entry = compiled_[{launch.kernel.module, launch.kernel.function, shape}];
  if (entry == nullptr) {
    // As the program has it: what its own form below does not show.
    check_launch(*kernel::exec::decode(program, launch.kernel), launch, description_,
                 traits(table()));
    auto fresh = std::make_unique<CompiledKernel>();
    compile(program, launch, *fresh);
    entry = std::move(fresh);
  }
  check_launch(*entry->decoded, launch, description_, traits(table()));
  return *entry;
}

void CgraMachine::check(kernel::Program& program, const Launch& launch) {
  checked_occupancy(compiled(program, launch), launch);
}

Occupancy CgraMachine::occupancy(kernel::Program& program, const Launch& launch) {
  return occupancy_of(compiled(program, launch), launch);
}

Occupancy CgraMachine::occupancy_of(const CompiledKernel& kernel, const Launch& launch) const {
  const std::uint64_t threads = launch.block.count();
  std::uint64_t blocks = std::max<std::uint64_t>(1, parameters_.threads / threads);
  std::string limited_by = "threads";
  const auto limit = [&](std::uint64_t capacity, std::uint64_t needed, const char* what) {
    if (needed == 0 || capacity / needed >= blocks) return;
    blocks = capacity / needed;
    limited_by = what;
  };
  limit(parameters_.shared_bytes,
        std::uint64_t{kernel.decoded->static_shared_bytes} + launch.dynamic_shared_bytes,
        "shared memory");
  limit(parameters_.fabric.live_value_bytes.count(), kernel.kernel.live_bytes * threads,
        "live values");
  return {.blocks_per_core = static_cast<std::uint32_t>(blocks),
          .limited_by = std::move(limited_by)};
}

Occupancy CgraMachine::checked_occupancy(const CompiledKernel& kernel, const Launch& launch) const {
  Occupancy occupancy = occupancy_of(kernel, launch);
  if (occupancy.blocks_per_core > 0) return occupancy;
  const std::uint64_t threads = launch.block.count();
  const std::uint64_t shared =
      std::uint64_t{kernel.decoded->static_shared_bytes} + launch.dynamic_shared_bytes;
  const bool lacks_shared = shared > parameters_.shared_bytes;
  throw Error(
      fmt::format(
          "kernel '{}' cannot be launched: a block of {} threads needs {} bytes of {}, a core "
          "of {} has {}",
          demangled(kernel.kernel.function.name), threads,
          lacks_shared ? shared : kernel.kernel.live_bytes * threads,
          lacks_shared ? "shared memory" : "live values", parameters_.name,
          lacks_shared ? parameters_.shared_bytes : parameters_.fabric.live_value_bytes.count()),
      {},
      lacks_shared ? "launch smaller blocks" : "launch smaller blocks, or set live_values.bytes");
}

FabricTrace* CgraMachine::trace_to(sim::TraceFile* file) {
  if (file == nullptr) {
    fabric_->trace_with(nullptr);
    trace_.reset();
    return nullptr;
  }
  if (trace_ == nullptr || trace_->file() != file)
    trace_ = std::make_unique<FabricTrace>(*file, parameters_.name, parameters_.fabric.core_clock,
                                           parameters_.fabric.memory, parameters_.fabric.cores);
  fabric_->trace_with(trace_.get());
  return trace_.get();
}

void CgraMachine::begin_anew() {
  if (trace_ != nullptr) trace_->restart(fabric_->now());
  fabric_ = std::make_unique<Fabric>(parameters_.fabric);
}

LaunchResult CgraMachine::launch(kernel::Program& program, const kernel::TextureTable& textures,
                                 const Launch& launch, const LaunchOptions& options) {
  const CompiledKernel& kernel = compiled(program, launch);
  Occupancy occupancy = checked_occupancy(kernel, launch);
  const std::uint32_t blocks = occupancy.blocks_per_core;
  GridState state(program, textures, *kernel.decoded, launch,
                  {.check = options.check,
                   .stack_bytes = parameters_.stack_bytes,
                   .multiprocessors = parameters_.fabric.cores,
                   .print = options.print});
  LaunchResult result = start_launch_result(state);
  PieceExecutor executor(state, kernel.kernel);
  std::uint64_t next_block = 0;
  const auto take_block = [&]() -> std::optional<std::uint64_t> {
    if (next_block == launch.grid.count()) return std::nullopt;
    return next_block++;
  };

  LaunchCounts counts(*fabric_, kernel.kernel);
  FabricTrace* const trace = trace_to(options.trace);
  std::optional<Sampler> sampler;
  if (options.sample_cycles > Cycle(0)) sampler = fabric_sampler(*fabric_, options.sample_cycles);
  const std::uint64_t warp_bytes = std::uint64_t{parameters_.stack_bytes} * kLanes;
  const std::uint64_t warps = (launch.block.count() + kLanes - 1) / kLanes;
  std::vector<std::unique_ptr<CoreWork>> work;
  std::optional<std::uint32_t> tracks;
  if (parameters_.fabric.overlap) tracks = parameters_.grid.tracks;
  const Cycle start = fabric_->now();
  try {
    for (std::size_t c = 0; c < fabric_->cores().size(); ++c) {
      const std::uint64_t local = kernel::kLocalWindow + c * blocks * warps * warp_bytes;
      work.push_back(std::make_unique<CoreWork>(
          CoreThreads(state, kernel.kernel, executor, {blocks, warp_bytes}, local, take_block),
          kernel.kernel, kernel.mappings, counts.nodes, tracks));
      fabric_->cores()[c]->begin(*work.back(), start);
    }
    PollingWatch polling(state, executor, work, start);
    std::uint64_t quanta = 0;
    const auto between = [&](Cycle cycle) {
      state.clock = cycle.count();
      polling.look(cycle, next_block);
      if (sampler) sampler->look(cycle);
      if (trace != nullptr) trace->look_at(fabric_->memory(), cycle);
      if (++quanta % kQuantaBetweenLooks != 0) return false;
      std::uint64_t done = 0;
      for (const auto& core : work) done += core->threads().blocks_done();
      options.control.look({cycle - start, done, launch.grid.count()});
      return false;
    };
    // What is still on its way when all threads have ended is not the kernel's time.
    const auto at_limit = [&] {
      if (!fabric_->is_idle()) throw options.control.limit_reached();
    };
    fabric_->run(between, options.control.cycle_limit(start), at_limit);
  } catch (const kernel::exec::LaunchStopped&) {
    result.complete = false;
  } catch (const RunStopped& stopped) {
    result.complete = false;
    Fault fault = stopped.fault(state.kernel_name);
    for (const auto& core : work) core->threads().describe(fault.details);
    state.add_fault(std::move(fault));
  } catch (...) {
    begin_anew();
    throw;
  }
  const Cycle end = fabric_->worked_until();
  // The last quantum goes on after the end, with nothing to do.
  if (sampler)
    sampler->finish(result, end, (fabric_->now() - end) * parameters_.fabric.all_units());
  if (trace != nullptr) trace->kernel_ended(result.kernel, start, end);
  counts.finish(start);
  for (const auto& core : work) result.barriers += core->threads().barrier_arrivals();
  add_figures(counts, kernel.kernel, kernel.mappings, parameters_, coefficients_, result);
  if (options.lines)
    result.lines = line_figures(counts.nodes, kernel.kernel, program.module(launch.kernel.module));
  for (MemoryTraffic& traffic : executor.traffic()) result.memory.push_back(std::move(traffic));
  result.kernel_launch->occupancy = std::move(occupancy);
  take_faults(state, result);
  if (!result.complete) begin_anew();
  return result;
}

}  // namespace raddle::machine::cgra
