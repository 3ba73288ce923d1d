// How a multiprocessor issues for warps of 64 lanes (wide_warp.h): the two SMs of a pair execute a
// half each, with the same registers and collectors in both, so that times are those of a warp of
// 32 lanes; the load/store unit of the active SM has the accesses of all 64.
#include <algorithm>
#include <array>
#include <bit>

#include "kernel/exec/warp_stepper.h"
#include "machine/simt/sm_core.h"

namespace raddle::machine::simt {

using kernel::exec::Step;
using kernel::exec::StepOnward;

namespace {

// The other half's would take its place.
void keep_access(WideWarp::Half& half, bool accessed_memory) {
  if (accessed_memory) half.access = half.state->lanes.access();
}

}  // namespace

template <class Warps>
void SmCoreFor<Warps>::execute_half(WarpContext& warp, std::uint32_t h) {
  WideWarp::Half& half = warp.wide->halves[h];
  kernel::exec::GridState& grid = warp.block->kernel->grid;
  const kernel::exec::DecodedInstruction& d = *warp.next->instruction;
  half.polled |= d.polls;
  if (d.runs_on) {
    const StepOnward step = execute_and_run_on(grid, *half.state, d);
    half.lanes = step.lanes;
    keep_access(half, step.accessed_memory);
    ++half.next;
    return;
  }
  const kernel::exec::StepAndNext step = execute_and_look(grid, *warp.block->threads, *half.state);
  half.lanes = step.lanes;
  keep_access(half, step.accessed_memory);
  half.function = step.function;
  half.next = step.instruction;
  if (warp.next->is_branch && step.diverged) ++warp.block->kernel->executed.divergent_branches;
}

template <class Warps>
void SmCoreFor<Warps>::execute_wide(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  WideWarp& wide = *warp.wide;
  ResidentBlock& block = *warp.block;
  KernelOnCore& kernel = *block.kernel;
  const IssueInfo& info = *warp.next;
  const std::uint64_t diverged_before = kernel.executed.divergent_branches;
  std::uint64_t lanes = 0;
  for (std::uint32_t h = 0; h < 2; ++h) {
    WideWarp::Half& half = wide.halves[h];
    half.lanes = 0;
    half.access.mask = 0;
    if (!half.runs) continue;
    execute_half(warp, h);
    lanes |= std::uint64_t{half.lanes} << h * kernel::exec::kLanes;
    if (info.is_barrier) ++kernel.executed.barriers;
  }
  const bool together = wide.halves[0].runs && wide.halves[1].runs;
  ++(together ? counts_.wide_instructions : counts_.half_instructions);
  count_threads(warp, static_cast<std::uint64_t>(std::popcount(lanes)));
  if (info.is_branch) {
    ++kernel.executed.branches;
    const bool apart = together && wide.halves[0].next != wide.halves[1].next;
    kernel.executed.divergent_branches =
        diverged_before + (apart || kernel.executed.divergent_branches > diverged_before ? 1 : 0);
  }
  if (info.instruction->polls) ++warp.polls;
  send_on_wide(slot, now);
  for (const WideWarp::Half& half : wide.halves) {
    if (!info.sleeps || half.lanes == 0) continue;
    warp.asleep_until =
        std::max(warp.asleep_until, end_of_sleep(info, *half.state, half.lanes, now));
  }
  for (const WideWarp::Half& half : wide.halves) {
    if (info.is_branch && half.runs && half.next != nullptr && half.next <= info.instruction) {
      rotate_halves(wide);
      break;
    }
  }
  choose_path(slot, now);
  if (info.is_barrier || info.ends_threads) release_barriers(block, now);
  retire_if_done(slot, now);
}

template <class Warps>
void SmCoreFor<Warps>::send_on_wide(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  const IssueInfo& info = *warp.next;
  // Mirrored register and operand requests: both SMs do the same for their halves.
  if (info.unit != Unit::kMemory) return send_to_unit(slot, now);
  std::array<const kernel::exec::MemoryAccess*, 2> accesses{};
  for (std::size_t h = 0; h < 2; ++h) {
    const WideWarp::Half& half = warp.wide->halves[h];
    if (half.access.mask != 0) accesses[h] = &half.access;
  }
  if (accesses[0] == nullptr && accesses[1] == nullptr) return;
  std::array<std::uint64_t, memory::kMaxLanes> address;
  LaneAccess lanes = joined(accesses[0], accesses[1], address);
  lanes.shared_base = warp.block->taken.shared_base;
  load_store_.push(info, slot, lanes, now, pipeline_.collect(info, slot, now));
  await_memory(warp, info);
}

template <class Warps>
void SmCoreFor<Warps>::choose_path(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  WideWarp& wide = *warp.wide;
  for (WideWarp::Half& half : wide.halves) {
    if (half.next != nullptr || half.state->finished()) continue;
    // It waited at a barrier, or has just begun.
    const Step step = next_step(warp.block->kernel->grid, *warp.block->threads, *half.state);
    half.function = step.function;
    half.next = step.instruction;
  }
  const bool can_run = choose_halves(wide);
  const WideWarp::Half& first = wide.halves[wide.halves[0].runs ? 0 : 1];
  go_on(slot, can_run ? first.function : nullptr, can_run ? first.next : nullptr, now);
}

template void SmCoreFor<LentWarpTable>::execute_wide(std::uint32_t, Cycle);
template void SmCoreFor<LentWarpTable>::choose_path(std::uint32_t, Cycle);

}  // namespace raddle::machine::simt
