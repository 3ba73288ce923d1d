// How a multiprocessor issues: which warp has a slot, what its instruction does to registers,
// units and memory, and what the warp waits for next.
#include <algorithm>
#include <bit>

#include "kernel/exec/warp_stepper.h"
#include "machine/simt/sm_core.h"

namespace raddle::machine::simt {

using kernel::exec::LaneMask;
using kernel::exec::Step;
using kernel::exec::StepOnward;

template <class Warps>
void SmCoreFor<Warps>::issue_slot(std::size_t s, Cycle now) {
  WarpScheduler& scheduler = schedulers_[s];
  const WarpTable& warps = warps_.of(s);
  const WarpSet ready = scheduler.eligible(warps.ready(), warps);
  WarpSet candidates = ready;
  if constexpr (Warps::kLent) {
    const WarpSet lent = lent_warps(s);
    for (const Unit unit : {Unit::kSp, Unit::kSfu}) {
      const WarpSet wanting = candidates & warps.wants(unit);
      if ((wanting & ~lent) != 0 && !pipeline_.has_collector(unit, now))
        candidates &= ~(wanting & ~lent);
      if ((wanting & lent) != 0 && !pipeline_.has_lent_collector(unit, now))
        candidates &= ~(wanting & lent);
    }
  } else {
    if ((candidates & warps.wants(Unit::kSp)) != 0 && !pipeline_.has_collector(Unit::kSp, now))
      candidates &= ~warps.wants(Unit::kSp);
    if ((candidates & warps.wants(Unit::kSfu)) != 0 && !pipeline_.has_collector(Unit::kSfu, now))
      candidates &= ~warps.wants(Unit::kSfu);
  }
  if ((candidates & warps.wants(Unit::kMemory)) != 0 && !load_store_.accepts())
    candidates &= ~warps.wants(Unit::kMemory);
  if (candidates == 0) {
    counts_.slots.add(why_idle(warps, ready, scheduler.mine(), now));
    return;
  }
  issued_as_ = SlotUse::kIssued;
  issue(warps_.slot_of(s, scheduler.choose(candidates, warps)), now);
  counts_.slots.add(issued_as_);
}

template <class Warps>
WarpSet SmCoreFor<Warps>::lent_warps(std::size_t scheduler) const {
  if (gpu_.core.lent.register_banks == 0) return 0;
  const std::uint32_t schedulers = gpu_.core.schedulers;
  const auto first = static_cast<std::uint32_t>(
      (gpu_.core.local_warps() + schedulers - 1 - scheduler) / schedulers);
  return ~(set_of(first) - 1);
}

// A warp that was ready but for a unit says why; else it is what most of the warps wait for.
template <class Warps>
SlotUse SmCoreFor<Warps>::why_idle(const WarpTable& warps, WarpSet ready, WarpSet mine,
                                   Cycle now) const {
  if ((ready & warps.wants(Unit::kMemory)) != 0)
    return load_store_.waits_for_memory() ? SlotUse::kMemory : SlotUse::kLoadStore;
  if ((ready & warps.wants(Unit::kSp)) != 0)
    return pipeline_.unit_is_behind(Unit::kSp, now) ? SlotUse::kUnit : SlotUse::kCollector;
  if ((ready & warps.wants(Unit::kSfu)) != 0)
    return pipeline_.unit_is_behind(Unit::kSfu, now) ? SlotUse::kUnit : SlotUse::kCollector;
  SlotUse cause = SlotUse::kNoWarp;
  std::uint32_t most = 0;
  for (const SlotUse use :
       {SlotUse::kMemory, SlotUse::kSharedMemory, SlotUse::kAlu, SlotUse::kSfu, SlotUse::kFetch,
        SlotUse::kBarrier, SlotUse::kFence, SlotUse::kOrdered}) {
    const std::uint32_t waiting = count_warps(warps.waiting(use) & mine);
    if (waiting <= most) continue;
    most = waiting;
    cause = use;
  }
  return cause;
}

template <class Warps>
[[gnu::always_inline]] inline void SmCoreFor<Warps>::issue(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  const IssueInfo& info = *warp.next;
  count_divergence(warp);
  if (info.is_ordered) {
    if (info.unit == Unit::kMemory) load_store_.reserve();
    ordered_.push_back(slot);
    wait_for(slot, SlotUse::kOrdered, now);
    return;
  }
  execute(slot, now);
}

// Of two ways that the threads of a warp go, one is the warp's own, the other costs extra slots.
template <class Warps>
void SmCoreFor<Warps>::count_divergence(const WarpContext& warp) {
  if constexpr (Warps::kLent) {
    if (warp.wide != nullptr) {
      if (is_lesser_part(*warp.wide)) issued_as_ = SlotUse::kDivergence;
      return;
    }
  }
  const LaneMask here = warp.state->running.mask;
  const LaneMask elsewhere = warp.state->live & ~here;
  if (elsewhere == 0) return;
  const int executing = std::popcount(here), waiting = std::popcount(elsewhere);
  const bool lowest_waits = std::countr_zero(elsewhere) < std::countr_zero(here);
  if (executing < waiting || (executing == waiting && lowest_waits))
    issued_as_ = SlotUse::kDivergence;
}

template <class Warps>
inline void SmCoreFor<Warps>::count_instruction(WarpContext& warp, LaneMask lanes) {
  const auto threads = static_cast<std::uint64_t>(
      lanes == kernel::exec::kAllLanes ? kernel::exec::kLanes : std::popcount(lanes));
  count_threads(warp, threads);
}

template <class Warps>
inline void SmCoreFor<Warps>::send_on(std::uint32_t slot, bool accessed_memory, Cycle now) {
  WarpContext& warp = warps_[slot];
  const IssueInfo& info = *warp.next;
  if (info.unit != Unit::kMemory) return send_to_unit(slot, now);
  const kernel::exec::MemoryAccess& access = warp.state->lanes.access();
  if (!accessed_memory || access.mask == 0) return;
  if constexpr (Warps::kLent) {
    const Cycle ready = warp.lent_registers ? pipeline_.collect_lent(info, slot, now)
                                            : pipeline_.collect(info, slot, now);
    LaneAccess lanes = lanes_of(access);
    lanes.shared_base = warp.block->taken.shared_base;
    load_store_.push(info, slot, lanes, now, ready);
  } else {
    const Cycle ready = pipeline_.collect(info, slot, now);
    load_store_.push(info, slot, lanes_of(access), now, ready);
  }
  await_memory(warp, info);
}

template <class Warps>
void SmCoreFor<Warps>::look_at(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  const IssueInfo& info = *warp.next;
  if (warp.buffered == 0 || warp.fetching) return wait_for(slot, SlotUse::kFetch, now);
  PendingResult latest;
  for (std::uint32_t i = 0; i < info.use_count; ++i)
    latest = std::max(latest, warp.registers[info.uses[i]]);
  if (latest.cycle() > now) {
    if (!latest.is_unknown()) warps_.look_at(slot, latest.cycle(), now);
    return wait_for(slot, latest.cause(), now);
  }
  if (info.is_fence && (warp.stores > 0 || warp.loads > 0))
    return wait_for(slot, SlotUse::kFence, now);
  if (warp.asleep_until > now) {
    warps_.look_at(slot, warp.asleep_until, now);
    return wait_for(slot, SlotUse::kAlu, now);
  }
  wait_for(slot, SlotUse::kIssued, now);
}

template <class Warps>
inline void SmCoreFor<Warps>::go_on_at(std::uint32_t slot, std::uint32_t place,
                                       const IssueInfo& next, Cycle now) {
  WarpContext& warp = warps_[slot];
  const bool follows = place == warp.place + 1 && warp.buffered > 1;
  warp.place = place;
  warp.next = &next;
  warps_.set_unit(slot, next.unit);
  if (follows) {
    --warp.buffered;
    return look_at(slot, now + Cycle(1));
  }
  warp.buffered = 0;
  fetch_.want(slot);
  wait_for(slot, SlotUse::kFetch, now + Cycle(1));
}

template <class Warps>
void SmCoreFor<Warps>::execute(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  if (watched_) [[unlikely]] {
    if (count_waits_) count_wait(warp, now);
    if (trace_ != nullptr) trace_->warp_issued(slot, now);
  }
  KernelOnCore& kernel = *warp.block->kernel;
  kernel.grid.clock = (now - kernel.start).count();
  if constexpr (Warps::kLent) {
    if (warp.wide != nullptr) return execute_wide(slot, now);
  }
  const IssueInfo& info = *warp.next;
  if (!info.instruction->runs_on) return execute_control(slot, now);
  const StepOnward step = execute_and_run_on(kernel.grid, *warp.state, *info.instruction);
  count_instruction(warp, step.lanes);
  if (info.instruction->polls) ++warp.polls;
  send_on(slot, step.accessed_memory, now);
  go_on_at(slot, warp.place + 1, (&info)[1], now);
}

// Whatever may end a thread, make it wait or send it elsewhere.
template <class Warps>
void SmCoreFor<Warps>::execute_control(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  ResidentBlock& block = *warp.block;
  KernelOnCore& kernel = *block.kernel;
  const IssueInfo& info = *warp.next;
  const kernel::exec::StepAndNext step = execute_and_look(kernel.grid, *block.threads, *warp.state);
  count_instruction(warp, step.lanes);
  if (info.is_branch) {
    ++kernel.executed.branches;
    kernel.executed.divergent_branches += step.diverged ? 1 : 0;
  }
  if (info.is_barrier) ++kernel.executed.barriers;
  if (info.instruction->polls) ++warp.polls;
  send_on(slot, step.accessed_memory, now);
  if (info.sleeps && step.lanes != 0)
    warp.asleep_until = end_of_sleep(info, *warp.state, step.lanes, now);
  go_on(slot, step.function, step.instruction, now);
  if (info.is_barrier || info.ends_threads) release_barriers(block, now);
  retire_if_done(slot, now);
}

// Warps of the block that others have set free.
template <class Warps>
void SmCoreFor<Warps>::release_barriers(ResidentBlock& block, Cycle now) {
  for (const std::uint32_t slot : block.slots) {
    if (warps_[slot].block == &block && warps_[slot].cause == SlotUse::kBarrier) advance(slot, now);
  }
}

template <class Warps>
void SmCoreFor<Warps>::advance(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  if constexpr (Warps::kLent) {
    if (warp.wide != nullptr) return choose_path(slot, now);
  }
  const Step step = next_step(warp.block->kernel->grid, *warp.block->threads, *warp.state);
  go_on(slot, step.function, step.instruction, now);
}

template <class Warps>
void SmCoreFor<Warps>::go_on(std::uint32_t slot, const kernel::exec::DecodedFunction* function,
                             const kernel::exec::DecodedInstruction* next, Cycle now) {
  WarpContext& warp = warps_[slot];
  const KernelOnCore& kernel = *warp.block->kernel;
  if (next == nullptr) {
    warp.next = nullptr;
    warp.ended =
        Warps::kLent && warp.wide != nullptr ? warp.wide->finished() : warp.state->finished();
    wait_for(slot, warp.ended ? SlotUse::kNoWarp : SlotUse::kBarrier, now);
    return;
  }
  const auto pc = static_cast<std::uint32_t>(next - function->code.data());
  const std::uint32_t place = pc + (function == &kernel.grid.kernel.entry()
                                        ? 0
                                        : kernel.table.base_of(kernel.grid.index_of(*function)));
  go_on_at(slot, place, kernel.table[place], now);
}

template <class Warps>
void SmCoreFor<Warps>::watch_wait(std::uint32_t slot, SlotUse cause, Cycle now) {
  if (count_waits_) count_wait(warps_[slot], now);
  if (trace_ != nullptr) trace_->warp_waits(slot, cause, now);
  warps_.set_cause(slot, cause);
}

template <class Warps>
void SmCoreFor<Warps>::count_wait(WarpContext& warp, Cycle now) {
  if (now <= warp.since) return;
  warp.block->kernel->waits[warp.place].add(warp.cause, now - warp.since);
  warp.since = now;
}

// What the other files use.
template void SmCoreFor<WarpTable>::issue_slot(std::size_t, Cycle);
template SlotUse SmCoreFor<WarpTable>::why_idle(const WarpTable&, WarpSet, WarpSet, Cycle) const;
template void SmCoreFor<WarpTable>::execute(std::uint32_t, Cycle);
template void SmCoreFor<WarpTable>::advance(std::uint32_t, Cycle);
template void SmCoreFor<WarpTable>::look_at(std::uint32_t, Cycle);
template void SmCoreFor<WarpTable>::watch_wait(std::uint32_t, SlotUse, Cycle);

template void SmCoreFor<LentWarpTable>::issue_slot(std::size_t, Cycle);
template SlotUse SmCoreFor<LentWarpTable>::why_idle(const WarpTable&, WarpSet, WarpSet,
                                                    Cycle) const;
template void SmCoreFor<LentWarpTable>::execute(std::uint32_t, Cycle);
template void SmCoreFor<LentWarpTable>::advance(std::uint32_t, Cycle);
template void SmCoreFor<LentWarpTable>::look_at(std::uint32_t, Cycle);
template void SmCoreFor<LentWarpTable>::watch_wait(std::uint32_t, SlotUse, Cycle);
template void SmCoreFor<LentWarpTable>::go_on(std::uint32_t, const kernel::exec::DecodedFunction*,
                                              const kernel::exec::DecodedInstruction*, Cycle);
template void SmCoreFor<LentWarpTable>::release_barriers(ResidentBlock&, Cycle);

}  // namespace raddle::machine::simt
