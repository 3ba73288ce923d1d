// Load/store units: a thread keeps its slot from its access until the answer has been sent on, so
// that answers may come in any order.
#include <algorithm>
#include <cstdlib>

#include "base/host_versions.h"
#include "kernel/address_map.h"
#include "machine/cgra/fabric/fabric_array.h"

namespace raddle::machine::cgra {

namespace {

std::uint32_t receiver_of(const FabricUnit& unit, std::uint32_t sequence) {
  return sequence + static_cast<std::uint32_t>(std::int32_t{unit.loop_shift});
}

}  // namespace

// Whether what the thread got can be put where the thread that receives it will find it.
[[gnu::always_inline]] inline bool FabricArray::loop_is_free(const FabricUnit& unit,
                                                             std::uint32_t sequence) {
  if ((unit.consumed & bit_of(sequence)) == 0) return true;
  std::uint64_t present = unit.port[unit.ports].present;
  // Its own token leaves in the same cycle.
  present &= unit.alone | unit.loads | ~bit_of(sequence);
  return (present & at_thread(unit.same_slot, receiver_of(unit, sequence))) == 0;
}

template <bool kReceives>
[[gnu::always_inline]] inline void FabricArray::send_thread(FabricUnit& unit,
                                                            std::uint32_t sequence, Cycle now) {
  const std::uint64_t bit = bit_of(sequence);
  const bool is_answer = (unit.issued & bit) != 0;
  take_tokens(unit, bit);
  if constexpr (kReceives) {
    TokenPort& loop = unit.port[unit.ports];
    if (((unit.alone | unit.loads) & bit) == 0) {
      loop.present &= ~bit;
      ++tokens_.buffer_reads;
    }
    if ((unit.consumed & bit) != 0) {
      unit.consumed &= ~bit;
      loop.present |= bit_of(receiver_of(unit, sequence));
      ++tokens_.buffer_writes;
    }
  }
  unit.alone &= ~bit;
  unit.loads &= ~bit;
  unit.issued &= ~bit;
  unit.done &= ~bit;
  unit.home->records.use(sequence);
  unit.sends.note(sequence);
  if (!is_answer) begin_access(unit, sequence, now);
  // An answer needs no more time, but its link may be taken by what was sent before.
  const Cycle at = std::max(unit.link_free, is_answer ? now : now + unit.latency);
  unit.link_free = at + Cycle(1);
  push(unit, sequence, at);
}

// Sends the result of the oldest of the threads for which that is possible.
template <bool kReceives>
[[gnu::always_inline]] inline FabricArray::SendResult FabricArray::send(FabricUnit& unit,
                                                                        std::uint64_t candidates,
                                                                        Cycle now) {
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) return SendResult::kNoRoom;
  // A bit of a thread that has been sent stands for one that lies beyond the window.
  candidates = from_thread(candidates & ~unit.sends.done(), unit.sends.first());
  candidates &= ~std::uint64_t{0} >> (kThreadBits - unit.window);
  if (candidates == 0) return SendResult::kNotYet;
  for (; candidates != 0; candidates &= candidates - 1) {
    const std::uint32_t thread =
        unit.sends.first() + static_cast<std::uint32_t>(std::countr_zero(candidates));
    if (kReceives && !loop_is_free(unit, thread)) continue;
    send_thread<kReceives>(unit, thread, now);
    return SendResult::kSent;
  }
  return SendResult::kNoRoom;
}

[[gnu::always_inline]] inline void FabricArray::begin_access(FabricUnit& unit,
                                                             std::uint32_t sequence, Cycle now) {
  ++unit.fired;
  unit.fires.note(sequence);
  unit.next_fire = now + unit.interval;
}

// dmt-cgra, section 4.2: a thread that does not load "will wait for another thread to write the
// token". It has an entry as an access under way has one, so that its place in the token buffer is
// free and loads of threads after it can be asked for.
[[gnu::always_inline]] inline void FabricArray::reserve(FabricUnit& unit, std::uint64_t ready,
                                                        Cycle now) {
  // Those whose token has just been sent on have none any more.
  const std::uint64_t there = ready & unit.port->present & ~(unit.issued | unit.alone | unit.loads);
  if (there == 0) return;
  const std::uint32_t thread = unit.fires.oldest(there);
  unit.issued |= bit_of(thread);
  begin_access(unit, thread, now);
}

template <bool kReceives>
[[gnu::always_inline]] inline CacheTake FabricArray::access(const FabricUnit& unit,
                                                            std::uint32_t sequence,
                                                            std::uint32_t token, Cycle& latency,
                                                            Cycle now) {
  const FabricRecords& records = unit.home->records;
  if (unit.kind == NodeKind::kLiveIn || unit.kind == NodeKind::kLiveOut) {
    LiveValueCache& values = memories_.live_values;
    if (!values.access(records.live_slot(sequence), unit.number, ShortBytes(unit.bytes),
                       unit.writes, now))
      return CacheTake::kBankBusy;
    if (!unit.writes) latency = values.latency();
    return CacheTake::kTaken;
  }
  const Address address = records.address(unit.number, sequence);
  // A generic pointer may lead to shared memory.
  if (unit.memory == MemoryPort::kShared ||
      kernel::in_window(address.value(), kernel::kSharedWindow)) {
    ScratchBanks& scratchpad = memories_.scratchpad;
    if (!scratchpad.access(address, ShortBytes(unit.bytes), unit.writes, now))
      return CacheTake::kBankBusy;
    if (!unit.writes || unit.atomic) latency = scratchpad.latency();
    return CacheTake::kTaken;
  }
  memory::AccessKind kind = memory::AccessKind::kLoad;
  if (unit.writes) kind = memory::AccessKind::kStore;
  if (unit.atomic) kind = memory::AccessKind::kAtomic;
  const CacheTake take = memories_.data.access(address, ShortBytes(unit.bytes), kind,
                                               token | slot_ << kSlotShift, now);
  if (take == CacheTake::kHit) latency = memories_.data.hit_latency();
  return take;
}

// Threads wait for what one of them loads, so the line that the next one to load will want is asked
// for ahead: the same distance on as from the last access to this one, several times; within a
// line, the next line.
void FabricArray::prefetch(std::uint32_t u, Address address) {
  Stride& seen = strides_[u];
  const auto stride = static_cast<std::int64_t>((address - seen.last).count());
  const bool repeats = stride == seen.stride && stride != 0;
  seen = {address, stride};
  if (!repeats) return;
  const auto line = static_cast<std::int64_t>(memories_.data.line_bytes().count());
  const bool is_short = std::abs(stride) < line;
  const std::int64_t ahead = is_short ? (stride < 0 ? -line : line) : stride * prefetch_;
  memories_.data.prefetch(address + Bytes(static_cast<std::uint64_t>(ahead)));
}

// A word of each quarter of a line stands for it: the next quarter asks again if nobody heeded the
// one before. In a kReceiveLoad few threads load.
void FabricArray::prefetch_later_threads(const FabricUnit& unit, TurnPrefetch::Load& load,
                                         std::uint32_t sequence) {
  const FabricRecords& records = unit.home->records;
  const Address address = records.address(unit.number, sequence);
  const std::uint32_t slot = records.live_slot(sequence);
  const Bytes step = load.step({slot, records.position(sequence)}, address);
  const bool stands_for_line =
      unit.loads_or_receives || address % (memories_.data.line_bytes() / 4) < Bytes(unit.bytes);
  if (step != Bytes(0) && stands_for_line) memories_.data.prefetch(address + step);
  if (unit.loads_or_receives) return;
  for (const Bytes row : load.row_steps(slot, address)) memories_.data.prefetch(address + row);
}

// False: the memory does not take the access in this cycle.
template <bool kReceives>
[[gnu::always_inline]] inline bool FabricArray::issue(FabricUnit& unit, std::uint32_t u,
                                                      std::uint32_t sequence, Cycle now) {
  const std::uint32_t token = u * kThreadBits + sequence % kThreadBits;
  Cycle latency = unit.latency;
  switch (access<kReceives>(unit, sequence, token, latency, now)) {
    case CacheTake::kBankBusy: next_.add(u); return false;
    case CacheTake::kRefused: refused_.add(u); return false;
    case CacheTake::kHit:
    case CacheTake::kTaken:
      completions_in(now + latency).push_back(token);
      wheel_.add(u, now + latency);
      break;
    case CacheTake::kAnswered: break;
  }
  if (kReceives && prefetch_ > 0 && unit.kind == NodeKind::kReceiveLoad)
    prefetch(u, unit.home->records.address(unit.number, sequence));
  if (turns_[u] != nullptr) prefetch_later_threads(unit, *turns_[u], sequence);
  unit.issued |= bit_of(sequence);
  begin_access(unit, sequence, now);
  return true;
}

template <bool kReceives>
[[gnu::always_inline]] inline void FabricArray::work(FabricUnit& unit, std::uint32_t u, Cycle now) {
  const std::uint64_t fired_before = unit.fired;
  const std::uint64_t ready = complete_threads(unit) & ~unit.issued;
  const bool is_busy = now < unit.next_fire;
  if (is_busy) wheel_.add(u, unit.next_fire);

  // Accesses first: others have time until these are answered.
  bool is_refused = false;
  const std::uint64_t accesses = ready & (kReceives ? unit.loads : ~unit.alone);
  if (accesses != 0 && !is_busy)
    is_refused = !issue<kReceives>(unit, u, unit.fires.oldest(accesses), now);
  // Threads that make no access fire and send in one, unless they wait for another thread.
  std::uint64_t candidates = unit.done;
  if (kReceives) candidates |= waiting_receivers(unit) & unit.port[unit.ports].present;
  if (unit.fired == fired_before && !is_busy) {
    std::uint64_t direct = unit.alone;
    if (kReceives) direct |= unit.port[unit.ports].present & ~unit.loads;
    candidates |= ready & direct;
  }
  const SendResult sent =
      candidates != 0 ? send<kReceives>(unit, candidates, now) : SendResult::kNotYet;
  if (kReceives && unit.fired == fired_before && !is_busy && !is_refused) reserve(unit, ready, now);

  const bool is_fired = unit.fired != fired_before;
  if (is_fired || sent == SendResult::kSent) {
    look_again(unit, now);
    next_.add(u);
  }
  if (is_fired || is_busy) return set_use(unit, u, UnitUse::kFired, now);
  if (is_refused) return set_use(unit, u, UnitUse::kMemory, now);
  if (sent == SendResult::kNoRoom) return set_use(unit, u, UnitUse::kConsumerFull, now);
  if (sent == SendResult::kSent && unit.done != 0) return set_use(unit, u, UnitUse::kLinkBusy, now);
  const std::uint64_t receivers = kReceives ? waiting_receivers(unit) : 0;
  if ((unit.issued & ~unit.done & ~receivers) != 0) return set_use(unit, u, UnitUse::kMemory, now);
  set_use(unit, u, receivers != 0 ? UnitUse::kOperandMissing : why_idle(unit), now);
}

RADDLE_HOST_VERSIONS void FabricArray::work_units(Cycle now) {
  FabricUnit* const units = layout_.units.data();
  working_.for_each_from(memory_units_[now.count() % memory_units_.size()],
                         [this, units, now](std::uint32_t u) RADDLE_INLINE_LAMBDA {
                           FabricUnit& unit = units[u];
                           if (unit.loads_or_receives) {
                             work<true>(unit, u, now);
                           } else {
                             work<false>(unit, u, now);
                           }
                         });
}

}  // namespace raddle::machine::cgra
