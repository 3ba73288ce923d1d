// The second half of a cycle: units whose operands are there fire, and threads are injected.
#include "base/error.h"
#include "base/host_versions.h"
#include "machine/cgra/fabric/fabric_array.h"

namespace raddle::machine::cgra {

namespace {

// Of threads that may lie anywhere.
std::uint32_t oldest_by_tags(const FabricUnit& unit, std::uint64_t threads) {
  std::uint32_t best = unit.tags[std::countr_zero(threads)];
  for (threads &= threads - 1; threads != 0; threads &= threads - 1) {
    const std::uint32_t other = unit.tags[std::countr_zero(threads)];
    if (is_older(other, best)) best = other;
  }
  return best;
}

// The oldest of the threads, of which there is one at least. If all tokens of a thread are there,
// so are those of all threads before the window after it.
[[gnu::always_inline]] inline std::uint32_t oldest(const FabricUnit& unit, std::uint64_t threads) {
  return unit.is_sparse ? oldest_by_tags(unit, threads) : unit.fires.oldest(threads);
}

// Those that the unit may fire for.
[[gnu::always_inline]] inline std::uint64_t within_window(const FabricUnit& unit,
                                                          std::uint64_t threads) {
  if (unit.is_sparse) return threads;
  return threads & at_thread(~std::uint64_t{0} >> (kThreadBits - unit.window), unit.fires.first());
}

}  // namespace

// Whether the unit can fire for one of the threads; else says why not, and sees to it that the unit
// is looked at when that changes.
[[gnu::always_inline]] inline bool FabricArray::may_fire(FabricUnit& unit, std::uint32_t u,
                                                         std::uint64_t ready, Cycle now) {
  if (unit.interval != Cycle(1) && now < unit.next_fire) {
    set_use(unit, u, UnitUse::kFired, now);
    wheel_.add(u, unit.next_fire);
    return false;
  }
  if (ready == 0) {
    set_use(unit, u, why_idle(unit), now);
    return false;
  }
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) set_use(unit, u, UnitUse::kConsumerFull, now);
  return !unit.waits_for_room;
}

// This cycle is known by the number of firings; how the unit spends the next one is found out then,
// unless nothing happens to it before a token comes.
[[gnu::always_inline]] inline void FabricArray::look_ahead(FabricUnit& unit, std::uint32_t u,
                                                           std::uint64_t others, Cycle now) {
  ++unit.since;
  if (others != 0 || unit.is_blocked) {
    look_again(unit, now);
    next_.add(u);
    return;
  }
  set_use(unit, u, why_idle(unit), now + Cycle(1));
}

// The tokens have been taken; `others` are complete as well.
[[gnu::always_inline]] inline void FabricArray::fire_thread(FabricUnit& unit, std::uint32_t u,
                                                            std::uint32_t sequence,
                                                            std::uint64_t others, Cycle now) {
  ++unit.fired;
  if (!unit.is_sparse) unit.fires.note(sequence);
  if (unit.counts_firings) unit.home->records.use(sequence);
  push(unit, sequence, now + unit.latency);
  if (unit.interval != Cycle(1)) {
    unit.next_fire = now + unit.interval;
    set_use(unit, u, UnitUse::kFired, now);
    look_again(unit, now);
    next_.add(u);
    return;
  }
  look_ahead(unit, u, others, now);
}

void FabricArray::inject(FabricUnit& unit, std::uint32_t u, Cycle now) {
  FabricReplica& replica = *unit.home;
  if (replica.injector.is_done() || !may_fire(unit, u, 1, now)) return;
  const std::uint32_t sequence = replica.records.end();
  if (!replica.injector.append_next(feed_, unit.replica, replica.records, now)) {
    if (replica.injector.waits_for_scalar_unit()) next_.add(u);
    return set_use(unit, u, UnitUse::kNoThread, now);
  }
  ++tokens_.threads;
  fire_thread(unit, u, sequence, 1, now);
}

[[gnu::always_inline]] inline void FabricArray::fire_simple(FabricUnit& unit, std::uint32_t u,
                                                            Cycle now) {
  const std::uint64_t complete = complete_threads(unit);
  if (complete == 0) return set_use(unit, u, why_idle(unit), now);
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) return set_use(unit, u, UnitUse::kConsumerFull, now);
  const std::uint32_t sequence = unit.fires.oldest(complete);
  const std::uint64_t bit = bit_of(sequence);
  take_tokens(unit, bit);
  ++unit.fired;
  unit.fires.note(sequence);
  push(unit, sequence, now + unit.latency);
  look_ahead(unit, u, complete & ~bit, now);
}

[[gnu::always_inline]] inline void FabricArray::fire(FabricUnit& unit, std::uint32_t u, Cycle now) {
  const std::uint64_t complete = complete_threads(unit);
  const std::uint64_t ready = within_window(unit, complete);
  if (!may_fire(unit, u, ready, now)) return;
  const std::uint32_t sequence = oldest(unit, ready);
  take_tokens(unit, bit_of(sequence));
  fire_thread(unit, u, sequence, complete & ~bit_of(sequence), now);
}

[[gnu::always_inline]] inline void FabricArray::fire_elevator(FabricUnit& unit, std::uint32_t u,
                                                              Cycle now) {
  const TokenPort& data = unit.port[0];
  TokenPort& trigger = unit.port[1];
  const std::uint64_t complete = trigger.present & (data.present | unit.alone);
  const std::uint64_t ready = within_window(unit, complete);
  if (!may_fire(unit, u, ready, now)) return;
  const std::uint32_t sequence = oldest(unit, ready);
  const std::uint64_t bit = bit_of(sequence);
  if ((unit.alone & bit) != 0) {
    // What may lie in the slot of the data is for a later thread.
    unit.alone &= ~bit;
    trigger.present &= ~bit;
    ++alone_firings_;
  } else {
    take_tokens(unit, bit);
  }
  fire_thread(unit, u, sequence, complete & ~bit, now);
}

RADDLE_HOST_VERSIONS void FabricArray::fire_units(Cycle now) {
  FabricUnit* const units = layout_.units.data();
  candidates_.for_each([this, units, now](std::uint32_t u) RADDLE_INLINE_LAMBDA {
    FabricUnit& unit = units[u];
    if (unit.is_simple) return fire_simple(unit, u, now);
    switch (unit.role) {
      case UnitRole::kSource: return inject(unit, u, now);
      case UnitRole::kElevator: return fire_elevator(unit, u, now);
      default: return fire(unit, u, now);
    }
  });
}

}  // namespace raddle::machine::cgra
