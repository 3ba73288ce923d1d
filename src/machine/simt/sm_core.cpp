#include "machine/simt/sm_core.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "kernel/exec/memory_change.h"
#include "kernel/exec/warp_stepper.h"

namespace raddle::machine::simt {

using memory::Access;

namespace {

template <class Set, class Use>
void for_each_warp(Set set, Use&& use) {
  for (; set != 0; set &= set - 1) use(lowest_of(set));
}

// Polls within a window of many cycles that tell a warp that spins.
constexpr std::uint32_t kPollsOfASpinner = 16;

constexpr double kNanosecond = 1e-9;

}  // namespace

SmCore::SmCore(const GpuParameters& gpu, const CorePorts& ports)
    : gpu_(gpu),
      ports_(ports),
      pipeline_(gpu.core),
      load_store_(gpu, ports.index, ports.map, ports.requests),
      idle_cause_(gpu.core.schedulers, SlotUse::kNoWarp) {}

Cycle SmCore::end_of_sleep(const IssueInfo& info, const kernel::exec::WarpState& warp,
                           kernel::exec::LaneMask lanes, Cycle now) const {
  const kernel::exec::DecodedInstruction& d = *info.instruction;
  if (d.source_count == 0) return now;
  const std::uint32_t asked = warp.lanes.lanes<std::uint32_t>(d.source[0])[std::countr_zero(lanes)];
  return now + Cycle(static_cast<std::uint64_t>(kNanosecond * asked * gpu_.core_clock.count()));
}

void SmCore::report_deadlock() {
  if (!blocks_.empty()) blocks_.front()->threads->report_deadlock();
}

void SmCore::describe_warps(std::vector<std::string>& lines, std::size_t most,
                            std::string_view doing) const {
  for (const auto& block : blocks_) block->threads->describe_warps(lines, most, doing);
}

template <class Warps>
SmCoreFor<Warps>::SmCoreFor(const GpuParameters& gpu, const CorePorts& ports, Cycle now)
    : SmCore(gpu, ports), warps_(gpu.core.warps, gpu.core.schedulers), fetch_(gpu.core, warps_) {
  counted_until_ = now;
  pipeline_.come_to(now);
  for (std::uint32_t s = 0; s < gpu.core.schedulers; ++s) {
    WarpSet mine = 0;
    for (std::uint32_t slot = s; slot < gpu.core.warps; slot += gpu.core.schedulers)
      mine |= set_of(Warps::kLent ? slot / gpu.core.schedulers : slot);
    schedulers_.emplace_back(gpu.core, mine);
  }
}

// --- blocks

template <class Warps>
std::uint32_t SmCoreFor<Warps>::free_slot(std::uint32_t first) const {
  for (std::uint32_t slot = first; slot < warps_.size(); ++slot) {
    if (warps_[slot].block == nullptr) return slot;
  }
  return warps_.size();
}

template <class Warps>
void SmCoreFor<Warps>::take_slot(ResidentBlock& block, std::uint32_t slot,
                                 kernel::exec::WarpState& state, Cycle cycle) {
  WarpContext& warp = warps_[slot];
  warp.block = &block;
  warp.state = &state;
  warp.buffered = 0;
  warp.fetching = warp.ended = false;
  warp.age = next_age_++;
  warp.asleep_until = Cycle(0);
  warp.stores = warp.loads = warp.polls = 0;
  warp.since = cycle;
  warp.registers.assign(block.kernel->table.scoreboard_entries(), {});
  block.slots.push_back(slot);
  ++block.warps_left;
  ++resident_warps_;
  warps_.add(slot);
}

template <class Warps>
void SmCoreFor<Warps>::begin_block(KernelOnCore& kernel, const BlockNeeds& needs,
                                   std::uint64_t number, Cycle cycle) {
  settle(cycle);
  auto block = std::make_unique<ResidentBlock>();
  block->kernel = &kernel;
  block->number = number;
  block->begun = cycle;
  if (kernel.idle.empty()) {
    block->threads = std::make_unique<kernel::exec::ThreadBlock>(kernel.grid);
  } else {
    block->threads = std::move(kernel.idle.back());
    kernel.idle.pop_back();
  }
  kernel.grid.clock = (cycle - kernel.start).count();
  block->threads->begin(number);
  block->taken = use_.add(needs, gpu_.core);
  ++resident_;
  ResidentBlock& begun = *block;
  blocks_.push_back(std::move(block));
  std::vector<kernel::exec::WarpState>& states = begun.threads->warps();
  if constexpr (Warps::kLent) {
    const bool wide = gpu_.core.warp_lanes > kernel::exec::kLanes;
    if (wide) begun.wide.resize(states.size() / 2);
    for (std::size_t w = 0; w < states.size(); w += wide ? 2 : 1) {
      // Sharing paper §V-B2: warps beyond those of the baseline have the neighbour's registers.
      const bool lent = begun.slots.size() >= begun.taken.local_warps();
      const std::uint32_t slot = free_slot(lent ? gpu_.core.local_warps() : 0);
      take_slot(begun, slot, states[w], cycle);
      warps_[slot].wide = nullptr;
      warps_[slot].lent = slot >= gpu_.core.local_warps();
      warps_[slot].lent_registers = lent;
      if (!wide || w + 1 == states.size()) continue;
      WideWarp& pair = begun.wide[w / 2];
      pair.halves[0].state = &states[w];
      pair.halves[1].state = &states[w + 1];
      warps_[slot].wide = &pair;
    }
  } else {
    for (kernel::exec::WarpState& state : states) take_slot(begun, free_slot(0), state, cycle);
  }
  if (trace_ != nullptr) trace_->begin_block(kernel.grid.kernel_name, number, begun.slots, cycle);
  for (const std::uint32_t slot : begun.slots) advance(slot, cycle);
  ports_.component.wake(cycle);
}

template <class Warps>
void SmCoreFor<Warps>::retire(std::uint32_t slot, Cycle now) {
  WarpContext& warp = warps_[slot];
  ResidentBlock& block = *warp.block;
  warp.block = nullptr;
  warp.state = nullptr;
  warps_.remove(slot);
  --resident_warps_;
  if (trace_ != nullptr) trace_->warp_ended(slot, block.warps_left == 1, now);
  if (--block.warps_left > 0) return;
  finished_.push_back({block.kernel->kernel, now});
  use_.remove(block.taken);
  --resident_;
  block.kernel->idle.push_back(std::move(block.threads));
  std::erase_if(blocks_, [&](const auto& held) { return held.get() == &block; });
}

template <class Warps>
void SmCoreFor<Warps>::flush_caches() {
  load_store_.flush();
  if (gpu_.core.launches_flush_all) fetch_.flush();
}

// --- one cycle

template <class Warps>
Cycle SmCoreFor<Warps>::tick(Cycle now) {
  if (now > counted_until_) count_time(now);
  pipeline_.come_to(now);
  if (ports_.replies.ready(now)) take_reply(now);
  if (load_store_.has_work(now)) {
    load_store_.tick(now, results_, stores_sent_);
    for (const std::uint32_t warp : stores_sent_) ++warps_[warp].stores;
    stores_sent_.clear();
  }
  if (!results_.empty()) take_results(now);
  const Slots due = warps_.take_due(now) | fetch_.take_decoded(now);
  if (due != 0) look_at_due(due, now);
  const Cycle interval = gpu_.core.issue_interval;
  // They take turns in being the first to get a collector or a place in the load/store unit.
  const std::uint32_t schedulers = gpu_.core.schedulers;
  auto turn = static_cast<std::uint32_t>(now.count());
  turn = schedulers == 2 ? turn & 1 : turn % schedulers;  // dividing takes its time
  for (std::uint32_t i = 0; i < schedulers; ++i) {
    if (interval == Cycle(1) || (now + Cycle(turn)) % interval == Cycle(0)) issue_slot(turn, now);
    if (++turn == schedulers) turn = 0;
  }
  counted_until_ = now + Cycle(1);
  if (fetch_.wants_to_fetch()) {
    fetch_.fetch(now, misses_);
    for (const Access& access : misses_) load_store_.send_for(access);
    misses_.clear();
  }
  if (load_store_.wants_to_send(now)) load_store_.send(now);
  if (resident_ > 0) {
    ++counts_.busy_cycles;
    counts_.warp_cycles += Cycle(resident_warps_);
  }
  const Cycle next = next_tick(now);
  if (next > now + Cycle(1)) {
    // What the slots until then will find.
    for (std::uint32_t s = 0; s < schedulers; ++s) {
      const WarpTable& warps = warps_.of(s);
      const WarpSet mine = schedulers_[s].mine();
      idle_cause_[s] = why_idle(warps, warps.ready() & mine, mine, now);
    }
  }
  return next;
}

template <class Warps>
Cycle SmCoreFor<Warps>::next_tick(Cycle now) const {
  // Memory instructions that find the load/store unit waiting for memory need not be looked at
  // before it gets on.
  if (warps_.any_ready(!load_store_.accepts() && load_store_.waits_for_memory()))
    return now + Cycle(1);
  return std::min({warps_.next_due(now), fetch_.next_work(now), load_store_.next_work(now),
                   std::max(ports_.replies.next_ready(), now + Cycle(1))});
}

template <class Warps>
void SmCoreFor<Warps>::settle(Cycle cycle) {
  count_time(cycle);
}

// Cycles that were slept through are like the last one: nothing could be issued, for the same
// reason.
template <class Warps>
void SmCoreFor<Warps>::count_time(Cycle now) {
  if (now <= counted_until_) return;
  for (std::size_t s = 0; s < schedulers_.size(); ++s) {
    counts_.slots.add(idle_cause_[s],
                      slots_between(counted_until_, now, s, gpu_.core.issue_interval));
  }
  if (resident_ > 0) {
    counts_.busy_cycles += now - counted_until_;
    counts_.warp_cycles += (now - counted_until_) * resident_warps_;
  }
  counted_until_ = now;
}

template <class Warps>
void SmCoreFor<Warps>::take_reply(Cycle now) {
  const Access access = ports_.replies.pop(now);
  if (trace_ != nullptr) trace_->reply(access, now);
  switch (request_kind(access.token)) {
    case RequestKind::kInstructionLine: fetch_.line_has_come(access.address); return;
    case RequestKind::kStore: {
      const std::uint32_t slot = request_number(access.token);
      WarpContext& warp = warps_[slot];
      if (warp.block == nullptr) return;  // of a launch that was stopped
      --warp.stores;
      if (warp.cause == SlotUse::kFence) look_at(slot, now);
      retire_if_done(slot, now);
      return;
    }
    default: load_store_.answer(access, now, results_);
  }
}

template <class Warps>
void SmCoreFor<Warps>::take_results(Cycle now) {
  for (const MemoryResult& result : results_) {
    WarpContext& warp = warps_[result.warp];
    if (warp.block == nullptr) continue;
    --warp.loads;
    if (result.info->write_count > 0) {
      const Cycle usable = Warps::kLent && warp.lent_registers
                               ? pipeline_.write_back_lent(*result.info, result.warp, result.at)
                               : pipeline_.write_back(*result.info, result.warp, result.at);
      const auto source = result.from_shared ? PendingResult::kShared : PendingResult::kMemory;
      for (std::uint32_t i = 0; i < result.info->write_count; ++i)
        warp.registers[result.info->writes[i]] = {usable, source};
    }
    if (warp.cause == SlotUse::kMemory || warp.cause == SlotUse::kSharedMemory ||
        warp.cause == SlotUse::kFence)
      look_at(result.warp, now);
    retire_if_done(result.warp, now);
  }
  results_.clear();
}

template <class Warps>
void SmCoreFor<Warps>::look_at_due(Slots due, Cycle now) {
  for_each_warp(due, [&](std::uint32_t warp) {
    const WarpContext& context = warps_[warp];
    if (context.block != nullptr && context.cause != SlotUse::kIssued && context.next != nullptr &&
        context.cause != SlotUse::kOrdered)
      look_at(warp, now);
  });
}

// --- between quanta

template <class Warps>
bool SmCoreFor<Warps>::execute_ordered(Cycle cycle) {
  if (ordered_.empty()) return false;
  settle(cycle);
  bool changes_memory = false;
  for (const std::uint32_t slot : ordered_) {
    const WarpContext& warp = warps_[slot];
    const IssueInfo& info = *warp.next;
    const kernel::DeviceMemory& memory = *warp.block->kernel->grid.device.memory;
    if (info.unit == Unit::kMemory) load_store_.drop_reservation();
    const auto frame_of = [](const kernel::exec::WarpState& state) {
      return state.activations[static_cast<std::size_t>(state.current)].frame;
    };
    if constexpr (Warps::kLent) {
      if (const WideWarp* wide = warp.wide; wide != nullptr) {
        std::array<const std::byte*, 2> frames{};
        for (std::size_t h = 0; h < 2; ++h) {
          if (wide->halves[h].runs) frames[h] = frame_of(*wide->halves[h].state);
        }
        execute(slot, cycle);
        for (std::size_t h = 0; h < 2; ++h) {
          changes_memory |=
              frames[h] != nullptr &&
              !left_memory_alone(*info.instruction, frames[h], wide->halves[h].access, memory);
        }
        continue;
      }
    }
    const kernel::exec::WarpState& state = *warp.state;
    const std::byte* frame = frame_of(state);
    execute(slot, cycle);
    changes_memory |=
        !kernel::exec::left_memory_alone(*info.instruction, frame, state.lanes.access(), memory);
  }
  ordered_.clear();
  ports_.component.wake(cycle);
  return changes_memory;
}

template <class Warps>
bool SmCoreFor<Warps>::only_polls() {
  for (std::uint32_t slot = 0; slot < warps_.size(); ++slot) {
    WarpContext& warp = warps_[slot];
    if (warp.block == nullptr || warp.ended) continue;
    if (warp.cause != SlotUse::kBarrier && std::exchange(warp.polls, 0) < kPollsOfASpinner)
      return false;
  }
  return true;
}

// What this file defines of them.
template class SmCoreFor<WarpTable>;
template class SmCoreFor<LentWarpTable>;

std::unique_ptr<SmCore> make_core(const GpuParameters& gpu, const CorePorts& ports, Cycle now) {
  if (gpu.core.borrows()) return std::make_unique<SmCoreFor<LentWarpTable>>(gpu, ports, now);
  return std::make_unique<SmCoreFor<WarpTable>>(gpu, ports, now);
}

}  // namespace raddle::machine::simt
