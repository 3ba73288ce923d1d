#include "machine/simt/multiprocessor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace raddle::machine::simt {

using memory::Access;

namespace {

template <class Use>
void for_each_warp(WarpSet set, Use&& use) {
  for (; set != 0; set &= set - 1) use(static_cast<std::uint32_t>(std::countr_zero(set)));
}

// Polls within a window of many cycles that tell a warp that spins.
constexpr std::uint32_t kPollsOfASpinner = 16;

// Loads that poll, and atomics that find what they would write: so whoever waits for ever is found
// out. `frame` holds the registers of the instruction, which has been executed.
bool left_memory_alone(const kernel::exec::DecodedInstruction& d, const std::byte* frame,
                       const kernel::exec::Warp& warp) {
  if (d.ir->opcode == kernel::Opcode::kLd) return true;
  if (d.ir->opcode != kernel::Opcode::kAtom || d.destination_count == 0 ||
      d.destination[0] == kernel::exec::kNoSlot)
    return false;
  const kernel::exec::MemoryAccess& access = warp.access();
  const kernel::DeviceMemory& memory = *warp.device->memory;
  for (kernel::exec::LaneMask left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (!memory.in_arena(access.address[lane], access.bytes)) return false;
    const std::byte* old = frame + d.destination[0] + lane * d.register_bytes;
    if (std::memcmp(old, memory.view(access.address[lane]), access.bytes) != 0) return false;
  }
  return true;
}

}  // namespace

Multiprocessor::Multiprocessor(std::string name, const GpuParameters& gpu, std::uint32_t index,
                               const memory::SliceMap& map, LoadStoreUnit::RequestChannel& requests,
                               sim::Channel<Access>& replies)
    : Component(std::move(name)),
      gpu_(gpu),
      index_(index),
      replies_(replies),
      warps_(gpu.core.warps),
      fetch_(gpu.core, warps_),
      pipeline_(gpu.core),
      load_store_(gpu, index, map, requests),
      idle_cause_(gpu.core.schedulers, SlotUse::kNoWarp) {
  for (std::uint32_t s = 0; s < gpu.core.schedulers; ++s) {
    WarpSet mine = 0;
    for (std::uint32_t warp = s; warp < gpu.core.warps; warp += gpu.core.schedulers)
      mine |= set_of(warp);
    schedulers_.emplace_back(gpu.core, mine);
  }
}

Multiprocessor::~Multiprocessor() = default;

// --- blocks

std::uint32_t Multiprocessor::free_slot() const {
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    if (warps_[warp].block == nullptr) return warp;
  }
  return warps_.size();
}

void Multiprocessor::begin_block(KernelOnCore& kernel, const BlockNeeds& needs,
                                 std::uint64_t number, std::uint64_t cycle) {
  settle(cycle);
  auto block = std::make_unique<ResidentBlock>();
  block->kernel = &kernel;
  block->number = number;
  block->begun = cycle;
  block->needs = needs;
  if (kernel.idle.empty()) {
    block->threads = std::make_unique<kernel::exec::ThreadBlock>(kernel.grid);
  } else {
    block->threads = std::move(kernel.idle.back());
    kernel.idle.pop_back();
  }
  kernel.grid.clock = cycle - kernel.start;
  block->threads->begin(number);
  use_.add(needs);
  ++resident_;
  for (kernel::exec::WarpState& state : block->threads->warps()) {
    const std::uint32_t slot = free_slot();
    WarpContext& warp = warps_[slot];
    warp.block = block.get();
    warp.state = &state;
    warp.buffered = 0;
    warp.fetching = warp.ended = false;
    warp.age = next_age_++;
    warp.asleep_until = 0;
    warp.stores = warp.loads = warp.polls = 0;
    warp.since = cycle;
    warp.registers.assign(kernel.table.scoreboard_entries(), {});
    block->slots.push_back(slot);
    ++block->warps_left;
    ++resident_warps_;
    warps_.add(slot);
  }
  ResidentBlock& begun = *block;
  blocks_.push_back(std::move(block));
  if (trace_ != nullptr) trace_->begin_block(kernel.grid.kernel_name, number, begun.slots, cycle);
  for (const std::uint32_t slot : begun.slots) advance(slot, cycle);
  wake(Cycle(cycle));
}

void Multiprocessor::retire(std::uint32_t slot, std::uint64_t now) {
  WarpContext& warp = warps_[slot];
  ResidentBlock& block = *warp.block;
  warp.block = nullptr;
  warp.state = nullptr;
  warps_.remove(slot);
  --resident_warps_;
  if (trace_ != nullptr) trace_->warp_ended(slot, block.warps_left == 1, now);
  if (--block.warps_left > 0) return;
  finished_.push_back({block.kernel->kernel, now});
  use_.remove(block.needs);
  --resident_;
  block.kernel->idle.push_back(std::move(block.threads));
  std::erase_if(blocks_, [&](const auto& held) { return held.get() == &block; });
}

void Multiprocessor::flush_caches() {
  load_store_.flush();
  fetch_.flush();
}

// --- one cycle

Cycle Multiprocessor::tick(Cycle cycle) {
  const std::uint64_t now = cycle.count();
  if (now > counted_until_) count_time(now);
  pipeline_.come_to(now);
  if (replies_.ready(cycle)) take_reply(now);
  if (load_store_.has_work(now)) {
    load_store_.tick(now, results_, stores_sent_);
    for (const std::uint32_t warp : stores_sent_) ++warps_[warp].stores;
    stores_sent_.clear();
  }
  if (!results_.empty()) take_results(now);
  const WarpSet due = warps_.take_due(now) | fetch_.take_decoded(now);
  if (due != 0) look_at_due(due, now);
  const std::uint32_t interval = gpu_.core.issue_interval;
  // They take turns in being the first to get a collector or a place in the load/store unit.
  const auto schedulers = static_cast<std::uint32_t>(schedulers_.size());
  auto turn = static_cast<std::uint32_t>(now);
  turn = schedulers == 2 ? turn & 1 : turn % schedulers;  // dividing takes its time
  for (std::uint32_t i = 0; i < schedulers; ++i) {
    if (interval == 1 || (now + turn) % interval == 0) issue_slot(turn, now);
    if (++turn == schedulers) turn = 0;
  }
  counted_until_ = now + 1;
  if (fetch_.wants_to_fetch()) {
    fetch_.fetch(now, misses_);
    for (const Access& access : misses_) load_store_.send_for(access);
    misses_.clear();
  }
  if (load_store_.wants_to_send(now)) load_store_.send(now);
  if (resident_ > 0) {
    ++counts_.busy_cycles;
    counts_.warp_cycles += resident_warps_;
  }
  const std::uint64_t next = next_tick(now);
  if (next > now + 1) {
    // What the slots until then will find.
    for (std::size_t s = 0; s < schedulers_.size(); ++s)
      idle_cause_[s] = why_idle(warps_.ready() & schedulers_[s].mine(), schedulers_[s].mine(), now);
  }
  return Cycle(next);
}

std::uint64_t Multiprocessor::next_tick(std::uint64_t now) const {
  // Memory instructions that find the load/store unit waiting for memory need not be looked at
  // before it gets on.
  WarpSet ready = warps_.ready();
  if (!load_store_.accepts() && load_store_.waits_for_memory())
    ready &= ~warps_.wants(Unit::kMemory);
  if (ready != 0) return now + 1;
  return std::min({warps_.next_due(now), fetch_.next_work(now), load_store_.next_work(now),
                   std::max(replies_.next_ready().count(), now + 1)});
}

void Multiprocessor::settle(std::uint64_t cycle) { count_time(cycle); }

// Cycles that were slept through are like the last one: nothing could be issued, for the same
// reason.
void Multiprocessor::count_time(std::uint64_t now) {
  if (now <= counted_until_) return;
  for (std::size_t s = 0; s < schedulers_.size(); ++s) {
    counts_.slots[static_cast<std::size_t>(idle_cause_[s])] +=
        slots_between(counted_until_, now, s, gpu_.core.issue_interval);
  }
  if (resident_ > 0) {
    counts_.busy_cycles += now - counted_until_;
    counts_.warp_cycles += (now - counted_until_) * resident_warps_;
  }
  counted_until_ = now;
}

void Multiprocessor::take_reply(std::uint64_t now) {
  const Access access = replies_.pop(Cycle(now));
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

void Multiprocessor::take_results(std::uint64_t now) {
  for (const MemoryResult& result : results_) {
    WarpContext& warp = warps_[result.warp];
    if (warp.block == nullptr) continue;
    --warp.loads;
    if (result.info->write_count > 0) {
      const std::uint64_t usable = pipeline_.write_back(*result.info, result.warp, result.at);
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

void Multiprocessor::look_at_due(WarpSet due, std::uint64_t now) {
  for_each_warp(due, [&](std::uint32_t warp) {
    const WarpContext& context = warps_[warp];
    if (context.block != nullptr && context.cause != SlotUse::kIssued && context.next != nullptr &&
        context.cause != SlotUse::kOrdered)
      look_at(warp, now);
  });
}

// --- between quanta

bool Multiprocessor::execute_ordered(std::uint64_t cycle) {
  if (ordered_.empty()) return false;
  settle(cycle);
  bool changes_memory = false;
  for (const std::uint32_t slot : ordered_) {
    const WarpContext& warp = warps_[slot];
    const IssueInfo& info = *warp.next;
    const kernel::exec::WarpState& state = *warp.state;
    const std::byte* frame = state.activations[static_cast<std::size_t>(state.current)].frame;
    if (info.unit == Unit::kMemory) load_store_.drop_reservation();
    execute(slot, cycle);
    changes_memory |= !left_memory_alone(*info.instruction, frame, state.lanes);
  }
  ordered_.clear();
  wake(Cycle(cycle));
  return changes_memory;
}

bool Multiprocessor::only_polls() {
  for (std::uint32_t slot = 0; slot < warps_.size(); ++slot) {
    WarpContext& warp = warps_[slot];
    if (warp.block == nullptr || warp.ended) continue;
    if (warp.cause != SlotUse::kBarrier && std::exchange(warp.polls, 0) < kPollsOfASpinner)
      return false;
  }
  return true;
}

void Multiprocessor::report_deadlock() {
  if (!blocks_.empty()) blocks_.front()->threads->report_deadlock();
}

void Multiprocessor::describe_warps(std::vector<std::string>& lines, std::size_t most) const {
  for (const auto& block : blocks_) block->threads->describe_warps(lines, most);
}

}  // namespace raddle::machine::simt
