// Load/store units: a thread keeps its slot from its access until the answer has been sent on, so
// that answers may come in any order.
#include <algorithm>

#include "base/error.h"
#include "kernel/address_map.h"
#include "machine/cgra/fabric_array.h"

namespace raddle::machine::cgra {

void FabricArray::work(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  const std::uint64_t fired_before = unit.fired;
  const std::uint64_t ready = ready_slots(unit) & ~unit.issued;
  const bool is_busy = now_ < unit.next_fire;
  if (is_busy) wheel_.add(u, unit.next_fire);

  // Threads that make no access fire and send in one.
  std::uint64_t direct = unit.alone;
  if (unit.loads_or_receives) direct |= unit.port[unit.ports].present & ~unit.loads;
  const std::uint64_t candidates = unit.done | (is_busy ? 0 : ready & direct);
  const bool is_sent = candidates != 0 && send(u, candidates);
  bool is_refused = false;
  if (unit.fired == fired_before && !is_busy) {
    std::uint64_t accesses = ready & ~unit.alone;
    if (unit.loads_or_receives) accesses &= unit.loads;
    is_refused = accesses != 0 && !issue(u, oldest(*unit.port, accesses, unit.fire_order));
  }

  const bool is_fired = unit.fired != fired_before;
  if (is_fired || is_sent) {
    unit.is_blocked = false;
    next_.add(u);
  }
  if (is_fired || is_busy) return set_use(unit, u, UnitUse::kFired);
  if (is_refused) return set_use(unit, u, UnitUse::kMemory);
  if (candidates != 0 && !is_sent) return set_use(unit, u, UnitUse::kConsumerFull);
  if (is_sent && unit.done != 0) return set_use(unit, u, UnitUse::kLinkBusy);
  set_use(unit, u, (unit.issued & ~unit.done) != 0 ? UnitUse::kMemory : why_idle(unit));
}

// Sends the result of the oldest of the slots for which that is possible.
bool FabricArray::send(std::uint32_t u, std::uint64_t candidates) {
  FabricUnit& unit = layout_.units[u];
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) return false;
  while (candidates != 0) {
    const std::uint32_t sequence = oldest(*unit.port, candidates, unit.send_order);
    if (!unit.loads_or_receives || loop_is_free(unit, sequence)) {
      send_slot(u, sequence);
      return true;
    }
    candidates &= ~bit_of(sequence);
  }
  return false;
}

// Whether what the thread got can be put where the thread that receives it will find it.
bool FabricArray::loop_is_free(const FabricUnit& unit, std::uint32_t sequence) const {
  const FabricRecords& records = replicas_[unit.replica].records;
  if (!records.is_consumed(unit.receive, sequence)) return true;
  std::uint64_t present = unit.port[unit.ports].present;
  // Its own token leaves in the same cycle.
  if (((unit.alone | unit.loads) & bit_of(sequence)) == 0) present &= ~bit_of(sequence);
  return (present & bit_of(sequence + static_cast<std::uint32_t>(unit.loop_shift))) == 0;
}

void FabricArray::send_slot(std::uint32_t u, std::uint32_t sequence) {
  FabricUnit& unit = layout_.units[u];
  FabricRecords& records = records_of(unit);
  const std::uint64_t bit = bit_of(sequence);
  const bool is_answer = (unit.done & bit) != 0;
  take_tokens(unit, sequence);
  if (unit.loads_or_receives) {
    TokenPort& loop = unit.port[unit.ports];
    if (((unit.alone | unit.loads) & bit) == 0) {
      RADDLE_ASSERT(loop.tags[slot_of(sequence)] == sequence);
      loop.present &= ~bit;
      ++tokens_.buffer_reads;
    }
    if (records.is_consumed(unit.receive, sequence)) {
      const std::uint32_t receiver = sequence + static_cast<std::uint32_t>(unit.loop_shift);
      loop.present |= bit_of(receiver);
      loop.tags[slot_of(receiver)] = receiver;
      ++tokens_.buffer_writes;
    }
  }
  unit.alone &= ~bit;
  unit.loads &= ~bit;
  unit.issued &= ~bit;
  unit.done &= ~bit;
  records.use(sequence);
  unit.send_order.note(sequence);
  if (!is_answer) {
    ++unit.fired;
    unit.fire_order.note(sequence);
    unit.next_fire = now_ + unit.interval;
  }
  // An answer needs no more time, but its link may be taken by what was sent before.
  const std::uint64_t at = std::max(unit.link_free, is_answer ? now_ : now_ + unit.latency);
  unit.link_free = at + 1;
  push(unit, sequence, at);
}

// False: the memory does not take the access in this cycle.
bool FabricArray::issue(std::uint32_t u, std::uint32_t sequence) {
  FabricUnit& unit = layout_.units[u];
  const std::uint32_t token = u * 64 + slot_of(sequence);
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
  unit.issued |= bit_of(sequence);
  ++unit.fired;
  unit.fire_order.note(sequence);
  unit.next_fire = now_ + unit.interval;
  return true;
}

CacheTake FabricArray::access(const FabricUnit& unit, std::uint32_t sequence, std::uint32_t token,
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

}  // namespace raddle::machine::cgra
