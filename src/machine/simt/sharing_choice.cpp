#include "machine/simt/sharing_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/simt/kernel_demand.h"
#include "machine/simt/occupancy.h"

namespace raddle::machine::simt {

namespace {

// Chosen, with the kernels of papers/gpu-sharing in view; calibration.md lists them.
constexpr double kFewerWarps = 0.75;  // of the baseline's: too few to hide what they wait for
constexpr double kMoreWarps = 1.05;   // that count as more
constexpr double kLaneUse = 0.75;     // of wide warps, compared with narrow ones
constexpr double kScattered = 4;      // accesses take so many times the cycles that issue takes
constexpr double kMemoryBound = 1.1;  // so do lines from the L2
constexpr double kFreeSlots = 0.5;    // of all: with so many, fewer schedulers do no harm
constexpr double kWorthChange = 10;   // a launch takes so many times what a change of mode does

// Warps of 32 lanes that can be resident at once, as far as the grid has them.
double resident_warps(const PreparedKernel& kernel, const Launch& launch, const GpuParameters& gpu,
                      SharingMode mode) {
  const auto blocks_on = [&](const CoreParameters& core) {
    return static_cast<double>(occupancy_limit(block_needs(kernel, launch, core), core).blocks);
  };
  const SharingPlan plan = plan_sharing(mode, gpu.cores);
  const double blocks =
      blocks_on(borrowing(gpu.core, mode, gpu.sharing)) * plan.count(CoreRole::kActive) +
      blocks_on(gpu.core) * plan.count(CoreRole::kAlone);
  return std::min(blocks, static_cast<double>(launch.grid.count())) *
         std::ceil(static_cast<double>(launch.block.count()) / kernel::exec::kLanes);
}

// Cycles in which all slices of the L2 together serve a line.
double l2_cycles_per_line(const GpuParameters& gpu) {
  const memory::MemoryPartitionSpec& partition = gpu.memory.partition;
  const double sectors =
      partition.sector_bytes == ShortBytes(0)
          ? 1
          : std::ceil(partition.slice.line_bytes.as_double() / partition.sector_bytes.as_double());
  return sectors / gpu.memory.slices() * gpu.core_clock.count() / gpu.memory.l2_clock.count();
}

// From one instruction of a warp to the next that needs its result.
double dependent_issue_cycles(const CoreParameters& core) {
  const Cycle addition = core.timing[static_cast<std::size_t>(Operation::kIntegerAdd)].latency;
  return (core.issue_to_read + core.read_to_execute + addition + Cycle(1)).as_double();
}

// Whether half of the multiprocessors have slots to spare for all warps of the grid: the launch
// takes as long as its longest warp, however many there are.
bool fits_half(const Launch& launch, const GpuParameters& gpu, std::uint32_t half) {
  const double blocks = std::ceil(static_cast<double>(launch.grid.count()) / half);
  const double warps =
      blocks * std::ceil(static_cast<double>(launch.block.count()) / kernel::exec::kLanes);
  const double slots =
      gpu.core.schedulers * dependent_issue_cycles(gpu.core) / gpu.core.issue_interval.as_double();
  return warps <= (1 - kFreeSlots) * slots;
}

// Whether a warp works for much longer than its code takes to come from the L2 again.
bool outlasts_a_change(const PreparedKernel& kernel, const KernelDemand::OfWarp& warp,
                       const GpuParameters& gpu) {
  const double bytes = gpu.core.instruction_bytes.as_double();
  const double lines = std::ceil(static_cast<double>(kernel.table->size()) * bytes /
                                 gpu.core.instruction_cache.line_bytes.as_double());
  const double trip = (gpu.memory.request_network.latency + gpu.memory.reply_network.latency +
                       gpu.memory.l2_latency)
                          .as_double();
  return warp.instructions * dependent_issue_cycles(gpu.core) > kWorthChange * lines * trip;
}

}  // namespace

SharingChoice choose_sharing(const PreparedKernel& kernel, const Launch& launch,
                             const GpuParameters& gpu, std::optional<SharingMode> present) {
  // All blocks of a cooperative launch must be resident; it was checked for the baseline.
  if (launch.cooperative) return {SharingMode::kBaseline, "a cooperative launch"};
  const KernelDemand::OfWarp warp =
      KernelDemand(*kernel.decoded, *kernel.table).of_warp(launch.block);
  const std::uint32_t half = plan_sharing(SharingMode::kHalf, gpu.cores).count_awake();
  if (launch.grid.count() <= half || fits_half(launch, gpu, half)) {
    const bool shares = plan_sharing(present.value_or(SharingMode::kHalf), gpu.cores).lends();
    if (shares && !outlasts_a_change(kernel, warp, gpu))
      return {*present, "too small a grid to change the mode for"};
    return {SharingMode::kHalf, "a grid that half of the SMs have slots to spare for"};
  }
  const auto threads = static_cast<double>(launch.block.count());
  const double lanes = kernel::exec::kLanes;
  const double lane_use = std::ceil(threads / lanes) / (2 * std::ceil(threads / (2 * lanes)));
  if (lane_use < kLaneUse)
    return {SharingMode::kBaseline,
            fmt::format("blocks of {} threads would leave wide warps empty", launch.block.count())};

  const auto resident = [&](SharingMode mode) { return resident_warps(kernel, launch, gpu, mode); };
  const double wide_warps = resident(SharingMode::kBigSm);
  const double share = wide_warps / std::max(1.0, resident(SharingMode::kBaseline));
  const SharingMode wide = resident(SharingMode::kBigSmOcc) > kMoreWarps * wide_warps
                               ? SharingMode::kBigSmOcc
                               : SharingMode::kBigSm;
  if (share > kMoreWarps) return {wide, fmt::format("wide SMs hold {:.2f} times the warps", share)};

  // Of one warp, on one multiprocessor.
  const double issue =
      std::max({warp.instructions / gpu.core.schedulers * gpu.core.issue_interval.as_double(),
                warp.sp_cycles / gpu.core.sp_units, warp.sfu_cycles / gpu.core.sfu_units});
  const double accesses = warp.passes + warp.lines;
  if (accesses > kScattered * issue)
    return {SharingMode::kBaseline,
            fmt::format("scattered accesses, {:.1f} an issue slot, need every load/store unit",
                        accesses / issue)};
  const double memory = warp.lines * gpu.cores * l2_cycles_per_line(gpu);
  if (memory > kMemoryBound * issue)
    return {wide, fmt::format("bound by memory, {:.1f} times issue", memory / issue)};
  if (share < kFewerWarps)
    return {SharingMode::kBaseline, fmt::format("wide SMs hold {:.2f} times the warps", share)};
  return {wide, "bound by issue, which wide warps keep"};
}

}  // namespace raddle::machine::simt
