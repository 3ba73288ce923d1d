// Load/store units: a thread keeps its slot from its access until the answer has been sent on, so
// that answers may come in any order.
#include <algorithm>

#include "base/error.h"
#include "kernel/address_map.h"
#include "machine/cgra/fabric_array.h"

namespace raddle::machine::cgra {

[[gnu::always_inline]] inline std::optional<std::uint32_t> FabricArray::oldest_within(
    const FabricUnit& unit, const ThreadWindow& window, std::uint64_t slots) {
  slots = window.from_first(slots, unit.slot_mask);
  for (; slots != 0; slots &= slots - 1) {
    const std::uint32_t sequence =
        window.first() + static_cast<std::uint32_t>(std::countr_zero(slots));
    if (unit.port->tags[slot_of(unit, sequence)] == sequence) return sequence;
  }
  return std::nullopt;
}

// Whether what the thread got can be put where the thread that receives it will find it.
[[gnu::always_inline]] inline bool FabricArray::loop_is_free(const FabricUnit& unit,
                                                             std::uint32_t sequence) const {
  const FabricRecords& records = replicas_[unit.replica].records;
  if (!records.is_consumed(unit.receive, sequence)) return true;
  std::uint64_t present = unit.port[unit.ports].present;
  // Its own token leaves in the same cycle.
  if (((unit.alone | unit.loads) & bit_of(unit, sequence)) == 0) present &= ~bit_of(unit, sequence);
  return (present &
          bit_of(unit, sequence + static_cast<std::uint32_t>(std::int32_t{unit.loop_shift}))) == 0;
}

[[gnu::always_inline]] inline void FabricArray::send_slot(std::uint32_t u, std::uint32_t sequence) {
  FabricUnit& unit = layout_.units[u];
  FabricRecords& records = records_of(unit);
  const std::uint64_t bit = bit_of(unit, sequence);
  const bool is_answer = (unit.issued & bit) != 0;
  take_tokens(unit, sequence);
  if (unit.loads_or_receives) {
    TokenPort& loop = unit.port[unit.ports];
    if (((unit.alone | unit.loads) & bit) == 0) {
      RADDLE_ASSERT(loop.tags[slot_of(unit, sequence)] == sequence);
      loop.present &= ~bit;
      ++tokens_.buffer_reads;
    }
    if (records.is_consumed(unit.receive, sequence)) {
      const std::uint32_t receiver =
          sequence + static_cast<std::uint32_t>(std::int32_t{unit.loop_shift});
      loop.present |= bit_of(unit, receiver);
      loop.tags[slot_of(unit, receiver)] = receiver;
      ++tokens_.buffer_writes;
    }
  }
  unit.alone &= ~bit;
  unit.loads &= ~bit;
  unit.issued &= ~bit;
  unit.done &= ~bit;
  records.use(sequence);
  unit.sends.note(sequence, unit.slot_mask);
  if (!is_answer) {
    ++unit.fired;
    unit.fires.note(sequence, unit.slot_mask);
    unit.next_fire = now_ + unit.interval;
  }
  // An answer needs no more time, but its link may be taken by what was sent before.
  const std::uint64_t at = std::max(unit.link_free, is_answer ? now_ : now_ + unit.latency);
  unit.link_free = at + 1;
  push(unit, sequence, at);
}

// Sends the result of the oldest of the slots for which that is possible.
[[gnu::always_inline]] inline FabricArray::SendResult FabricArray::send(std::uint32_t u,
                                                                        std::uint64_t candidates) {
  FabricUnit& unit = layout_.units[u];
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) return SendResult::kNoRoom;
  SendResult result = SendResult::kNotYet;
  candidates = within_window(unit, unit.sends, candidates);
  for (auto thread = oldest_within(unit, unit.sends, candidates); thread;
       thread = oldest_within(unit, unit.sends, candidates)) {
    if (!unit.loads_or_receives || loop_is_free(unit, *thread)) {
      send_slot(u, *thread);
      return SendResult::kSent;
    }
    candidates &= ~bit_of(unit, *thread);
    result = SendResult::kNoRoom;
  }
  return result;
}

// dmt-cgra, section 4.2: a thread that does not load "will wait for another thread to write the
// token". It has an entry as an access under way has one, so that its place in the token buffer is
// free and loads of threads behind it can be asked for.
[[gnu::always_inline]] inline void FabricArray::reserve(FabricUnit& unit, std::uint64_t ready) {
  // Those whose token has just been sent on have none any more.
  const std::uint64_t there = ready & unit.port->present & ~(unit.issued | unit.alone | unit.loads);
  if (there == 0) return;
  const auto thread = oldest_within(unit, unit.fires, there);
  if (!thread) return;
  unit.issued |= bit_of(unit, *thread);
  ++unit.fired;
  unit.fires.note(*thread, unit.slot_mask);
  unit.next_fire = now_ + unit.interval;
}

[[gnu::always_inline]] inline CacheTake FabricArray::access(const FabricUnit& unit,
                                                            std::uint32_t sequence,
                                                            std::uint32_t token,
                                                            std::uint32_t& latency) {
  const FabricRecords& records = replicas_[unit.replica].records;
  if (unit.kind == NodeKind::kLiveIn || unit.kind == NodeKind::kLiveOut) {
    LiveValueCache& values = memories_.live_values;
    if (!values.access(records.live_slot(sequence), unit.number, unit.bytes, unit.writes, now_))
      return CacheTake::kBankBusy;
    if (!unit.writes) latency = values.latency();
    return CacheTake::kTaken;
  }
  const std::uint64_t address = records.address(unit.number, sequence);
  // A generic pointer may lead to shared memory.
  if (unit.memory == MemoryPort::kShared || kernel::in_window(address, kernel::kSharedWindow)) {
    ScratchBanks& scratchpad = memories_.scratchpad;
    if (!scratchpad.access(address, unit.bytes, unit.writes, now_)) return CacheTake::kBankBusy;
    if (!unit.writes || unit.atomic) latency = scratchpad.latency();
    return CacheTake::kTaken;
  }
  memory::AccessKind kind = memory::AccessKind::kLoad;
  if (unit.writes) kind = memory::AccessKind::kStore;
  if (unit.atomic) kind = memory::AccessKind::kAtomic;
  const CacheTake take = memories_.data.access(address, unit.bytes, kind, token, now_);
  if (take == CacheTake::kHit) latency = memories_.data.hit_latency();
  return take;
}

// False: the memory does not take the access in this cycle.
[[gnu::always_inline]] inline bool FabricArray::issue(std::uint32_t u, std::uint32_t sequence) {
  FabricUnit& unit = layout_.units[u];
  const std::uint32_t token = u * 64 + slot_of(unit, sequence);
  std::uint32_t latency = unit.latency;
  switch (access(unit, sequence, token, latency)) {
    case CacheTake::kBankBusy: next_.add(u); return false;
    case CacheTake::kRefused: refused_.add(u); return false;
    case CacheTake::kHit:
    case CacheTake::kTaken:
      completions_[(now_ + latency) & completion_mask_].push_back(token);
      wheel_.add(u, now_ + latency);
      break;
    case CacheTake::kAnswered: break;
  }
  unit.issued |= bit_of(unit, sequence);
  ++unit.fired;
  unit.fires.note(sequence, unit.slot_mask);
  unit.next_fire = now_ + unit.interval;
  return true;
}

void FabricArray::work(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  const std::uint64_t fired_before = unit.fired;
  const std::uint64_t ready = ready_slots(unit) & ~unit.issued;
  const bool is_busy = now_ < unit.next_fire;
  if (is_busy) wheel_.add(u, unit.next_fire);

  // Accesses first: others have time until these are answered.
  bool is_refused = false;
  if (!is_busy) {
    std::uint64_t accesses = ready & ~unit.alone;
    if (unit.loads_or_receives) accesses &= unit.loads;
    if (accesses != 0) {
      const auto thread = oldest_within(unit, unit.fires, accesses);
      is_refused = thread && !issue(u, *thread);
    }
  }
  // Threads that make no access fire and send in one, unless they wait for another thread.
  std::uint64_t candidates = unit.done;
  if (unit.loads_or_receives) candidates |= waiting_receivers(unit) & unit.port[unit.ports].present;
  if (unit.fired == fired_before && !is_busy) {
    std::uint64_t direct = unit.alone;
    if (unit.loads_or_receives) direct |= unit.port[unit.ports].present & ~unit.loads;
    candidates |= ready & direct;
  }
  const SendResult sent = candidates != 0 ? send(u, candidates) : SendResult::kNotYet;
  if (unit.loads_or_receives && unit.fired == fired_before && !is_busy && !is_refused)
    reserve(unit, ready);

  const bool is_fired = unit.fired != fired_before;
  if (is_fired || sent == SendResult::kSent) {
    unit.is_blocked = false;
    next_.add(u);
  }
  if (is_fired || is_busy) return set_use(unit, u, UnitUse::kFired);
  if (is_refused) return set_use(unit, u, UnitUse::kMemory);
  if (sent == SendResult::kNoRoom) return set_use(unit, u, UnitUse::kConsumerFull);
  if (sent == SendResult::kSent && unit.done != 0) return set_use(unit, u, UnitUse::kLinkBusy);
  const std::uint64_t receivers = unit.loads_or_receives ? waiting_receivers(unit) : 0;
  if ((unit.issued & ~unit.done & ~receivers) != 0) return set_use(unit, u, UnitUse::kMemory);
  set_use(unit, u, receivers != 0 ? UnitUse::kOperandMissing : why_idle(unit));
}

}  // namespace raddle::machine::cgra
