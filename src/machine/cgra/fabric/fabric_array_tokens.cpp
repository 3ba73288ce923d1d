// The first half of a cycle: tokens that have come to the end of their links move into the token
// buffers.
#include "base/error.h"
#include "base/host_versions.h"
#include "machine/cgra/fabric/fabric_array.h"

namespace raddle::machine::cgra {

inline bool FabricArray::drops(const FabricUnit& unit, const TokenPort& port,
                               std::uint32_t sent_by) {
  if (port.role != TokenPortRole::kDropping) return false;
  FabricRecords& records = unit.home->records;
  if (records.is_consumed(unit.receive, sent_by)) return false;
  records.use(sent_by);
  return true;
}

// What a load/store unit has to know of a thread whose first token has come.
[[gnu::always_inline]] inline void FabricArray::note_access(FabricUnit& unit,
                                                            std::uint32_t sequence) {
  if (unit.kind == NodeKind::kLiveIn && !unit.loads_or_receives) return;
  const FabricRecords& records = unit.home->records;
  const std::uint64_t bit = bit_of(sequence);
  if (unit.kind == NodeKind::kLiveOut) {
    if (unit.guard_row != 0 && records.address(unit.guard_row - 1u, sequence) == kInactive)
      unit.alone |= bit;
    return;
  }
  ThreadLinks links;
  if (unit.loads_or_receives) links = records.links(unit.receive, sequence);
  if (links.is_consumed && !unit.has_loop_edge) unit.consumed |= bit;
  if (unit.kind == NodeKind::kLiveIn) {
    if (!links.has_producer) unit.loads |= bit;
    return;
  }
  if (records.address(unit.number, sequence) != kInactive) {
    unit.loads |= bit;
  } else if (!links.has_producer) {
    unit.alone |= bit;
  }
}

// What an elevator has to know of a thread whose token has come.
inline void FabricArray::note_token(FabricUnit& unit, const TokenPort& port,
                                    std::uint32_t sequence) {
  FabricRecords& records = unit.home->records;
  switch (port.role) {
    case TokenPortRole::kPlain:
    case TokenPortRole::kAddress: break;
    case TokenPortRole::kDropping:
      records.use(sequence - static_cast<std::uint32_t>(std::int32_t{port.shift}));
      break;
    case TokenPortRole::kTrigger:
      if (!records.has_producer(unit.receive, sequence)) unit.alone |= bit_of(sequence);
      break;
  }
}

// The first token of an edge has been taken.
[[gnu::always_inline]] inline void FabricArray::took_token(TokenPort& port, std::uint64_t read) {
  port.read = read + 1;
  if (port.from->waits_for_room) [[unlikely]]
    candidates_.add(index_of(*port.from));
}

// The first token of an edge, which has arrived, if it finds its slot free.
inline void FabricArray::deliver(TokenPort& port, FabricUnit& unit) {
  const std::uint64_t read = port.read;
  const std::uint32_t sent_by = sequence_of(port.from->ring[read & port.from->ring_mask]);
  const std::uint32_t sequence = sent_by + static_cast<std::uint32_t>(std::int32_t{port.shift});
  if (drops(unit, port, sent_by)) {
    ++dropped_;
  } else if ((port.present & at_thread(unit.same_slot, sequence)) != 0) {
    unit.is_blocked = true;
    return;
  } else {
    port.present |= bit_of(sequence);
    if (unit.tags != nullptr) unit.tags[sequence % kThreadBits] = sequence;
    note_token(unit, port, sequence);
  }
  took_token(port, read);
}

// The same for a unit that is simple or kMemory.
[[gnu::always_inline]] inline void FabricArray::deliver_direct(TokenPort& port, FabricUnit& unit) {
  const std::uint64_t read = port.read;
  const std::uint32_t sequence = sequence_of(port.from->ring[read & port.from->ring_mask]);
  const std::uint32_t ahead = sequence - unit.fires.first();
  if ((port.present & at_thread(unit.same_slot, sequence)) != 0 || ahead >= unit.reach)
      [[unlikely]] {
    // In every FIFO a thread comes before the next one that uses the same slot, and no thread
    // overtakes one that is further ahead than that.
    RADDLE_ASSERT(unit.role == UnitRole::kMemory || ahead < unit.reach);
    unit.is_blocked = true;
    return;
  }
  port.present |= bit_of(sequence);
  if (port.role == TokenPortRole::kAddress) note_access(unit, sequence);
  took_token(port, read);
}

// Ports of which a token arrives, and those where one has waited and may find its slot free now.
// Where others wait before the one that arrives, the slot of the first is still taken.
RADDLE_HOST_VERSIONS void FabricArray::deliver_tokens(Cycle now) {
  FabricUnit* const units = layout_.units.data();
  TokenPort* const ports = layout_.ports.data();
  std::swap(late_, again_);
  again_.clear();
  for (std::size_t i = 0; i < arrivals_.words(); ++i) {
    const std::uint64_t direct = arrivals_.word(i) & direct_.word(i) & ~late_.word(i);
    for (std::uint64_t bits = direct; bits != 0; bits &= bits - 1) {
      TokenPort& port = ports[i * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      candidates_.add(port.unit);
      deliver_direct(port, units[port.unit]);
    }
    arrivals_.word(i) = (arrivals_.word(i) & ~direct_.word(i)) | late_.word(i);
  }
  arrivals_.for_each([this, ports, units, now](std::uint32_t p) RADDLE_INLINE_LAMBDA {
    TokenPort& port = ports[p];
    FabricUnit& unit = units[port.unit];
    const std::uint64_t read = port.read;
    candidates_.add(port.unit);
    if (direct_.contains(p)) {
      deliver_direct(port, unit);
    } else {
      deliver(port, unit);
    }
    // If the token that was taken has waited, the next one may be there, too: it is not announced
    // again.
    if (port.read != read && has_arrival(port, now)) again_.add(p);
  });
}

}  // namespace raddle::machine::cgra
