// The first half of a cycle: tokens that have come to the end of their links move into the token
// buffers.
#include "base/error.h"
#include "base/host_versions.h"
#include "machine/cgra/fabric_array.h"

namespace raddle::machine::cgra {

// The first token of an edge has been taken. Tokens come at most one a cycle: if this one has
// waited, the next one may be there, too, and is not announced again.
[[gnu::always_inline]] inline void FabricArray::took_token(TokenPort& port, std::uint64_t read,
                                                           std::int32_t arrived, std::uint32_t u,
                                                           std::uint64_t now) {
  const FabricUnit& from = *port.from;
  port.read = read + 1;
  if (from.waits_for_room) [[unlikely]]
    candidates_.add(index_of(from));
  if (arrived != 0) [[unlikely]] {
    if (read + 1 != from.written &&
        cycles_arrived(from.ring[(read + 1) & from.ring_mask], port.link_cycles, now) >= 0)
      next_.add(u);
  }
}

inline bool FabricArray::drops(const FabricUnit& unit, const TokenPort& port,
                               std::uint32_t sent_by) {
  if (port.role != TokenPortRole::kDropping) return false;
  FabricRecords& records = unit.home->records;
  if (records.is_consumed(unit.receive, sent_by)) return false;
  records.use(sent_by);
  return true;
}

// What an elevator has to know of a thread whose token has come.
inline void FabricArray::note_token(FabricUnit& unit, const TokenPort& port,
                                    std::uint32_t sequence) {
  FabricRecords& records = unit.home->records;
  if (port.role == TokenPortRole::kDropping)
    records.use(sequence - static_cast<std::uint32_t>(std::int32_t{port.shift}));
  if (port.role == TokenPortRole::kTrigger && !records.has_producer(unit.receive, sequence))
    unit.alone |= bit_of(sequence);
}

// What a load/store unit has to know of a thread whose first token has come.
[[gnu::always_inline]] inline void FabricArray::note_access(FabricUnit& unit,
                                                            std::uint32_t sequence) {
  if (unit.kind == NodeKind::kLiveIn || unit.kind == NodeKind::kLiveOut) return;
  const FabricRecords& records = unit.home->records;
  const std::uint64_t bit = bit_of(sequence);
  ThreadLinks links;
  if (unit.loads_or_receives) links = records.links(unit.receive, sequence);
  if (links.is_consumed) unit.consumed |= bit;
  if (records.address(unit.number, sequence) != kInactive) {
    unit.loads |= bit;
  } else if (!links.has_producer) {
    unit.alone |= bit;
  }
}

// The first token of each edge to the unit, if it has arrived and finds its slot free.
template <FabricArray::Buffer kBuffer>
[[gnu::always_inline]] inline void FabricArray::deliver(FabricUnit& unit, std::uint32_t u,
                                                        std::uint64_t now) {
  for (TokenPort *port = unit.port, *end = port + unit.ports; port != end; ++port) {
    const FabricUnit& from = *port->from;
    const std::uint64_t read = port->read;
    if (read == from.written) continue;
    const FabricToken token = from.ring[read & from.ring_mask];
    const std::int32_t arrived = cycles_arrived(token, port->link_cycles, now);
    if (arrived < 0) continue;
    std::uint32_t sequence = sequence_of(token);
    if constexpr (kBuffer == Buffer::kOther) {
      if (drops(unit, *port, sequence)) {
        ++dropped_;
        took_token(*port, read, arrived, u, now);
        continue;
      }
      sequence += static_cast<std::uint32_t>(std::int32_t{port->shift});
    }
    const std::uint32_t ahead = sequence - unit.fires.first();
    bool is_taken = (port->present & at_thread(unit.same_slot, sequence)) != 0;
    // The slots of a load/store unit are for accesses under way; operands wait in a token buffer of
    // its own, as in any other unit.
    if constexpr (kBuffer == Buffer::kAccesses) is_taken |= ahead >= token_buffer_;
    if (is_taken) {
      unit.is_blocked = true;
      continue;
    }
    // In every FIFO a thread comes before the next one that uses the same slot, and no thread
    // overtakes one that is further ahead than that.
    if constexpr (kBuffer == Buffer::kSimple) RADDLE_ASSERT(ahead < 2 * token_buffer_);
    port->present |= bit_of(sequence);
    if constexpr (kBuffer == Buffer::kAccesses) {
      if (port->role == TokenPortRole::kAddress) note_access(unit, sequence);
    }
    if constexpr (kBuffer == Buffer::kOther) {
      if (port->tags != nullptr) port->tags[sequence % kThreadBits] = sequence;
      note_token(unit, *port, sequence);
    }
    took_token(*port, read, arrived, u, now);
  }
}

RADDLE_HOST_VERSIONS void FabricArray::deliver_tokens(std::uint64_t now) {
  FabricUnit* const units = layout_.units.data();
  awake_.for_each([this, units, now](std::uint32_t u) RADDLE_INLINE_LAMBDA {
    FabricUnit& unit = units[u];
    if (unit.is_simple) {
      deliver<Buffer::kSimple>(unit, u, now);
    } else if (unit.role == UnitRole::kMemory) {
      deliver<Buffer::kAccesses>(unit, u, now);
    } else {
      deliver<Buffer::kOther>(unit, u, now);
    }
  });
}

}  // namespace raddle::machine::cgra
