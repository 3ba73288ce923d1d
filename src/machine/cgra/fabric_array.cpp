#include "machine/cgra/fabric_array.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace raddle::machine::cgra {

namespace {

std::uint32_t longest_of(const FabricLayout& layout, const FabricMemories& memories) {
  return std::max({layout.longest_delay, memories.data.hit_latency(), memories.scratchpad.latency(),
                   memories.live_values.latency()});
}

// Groups that an injector takes turns with: so many that the lines they work on take no more than
// one of the ways of the L1, or they would push each other's out before these are done with.
// Accesses to the other memories come back soon.
std::uint32_t groups_of(const Configuration& configuration, const FabricParameters& parameters) {
  const DataflowGraph& graph = *configuration.graph;
  if (graph.whole_blocks) return 1;
  const auto accesses = std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.kind == NodeKind::kMemory && node.port != MemoryPort::kShared;
  });
  const std::size_t units =
      static_cast<std::size_t>(accesses) * configuration.mapping->replicas.size();
  if (units == 0) return 1;
  const std::uint64_t lines =
      parameters.l1.bytes.count() / parameters.l1.line_bytes / parameters.l1.ways;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(lines / units, 1, parameters.injector_groups));
}

}  // namespace

FabricArray::FabricArray(const Configuration& configuration, const FabricParameters& parameters,
                         FabricMemories memories, std::uint64_t start)
    : layout_(*configuration.graph, *configuration.mapping, parameters),
      token_buffer_(parameters.token_buffer),
      memories_(memories),
      feed_(*configuration.threads),
      node_counts_(configuration.counts),
      now_(start),
      wheel_(layout_.units.size(), longest_of(layout_, memories)),
      next_(layout_.units.size()),
      awake_(layout_.units.size()),
      candidates_(layout_.units.size()),
      memory_(layout_.units.size()),
      refused_(layout_.units.size()),
      no_thread_(layout_.units.size()),
      completions_(std::bit_ceil(std::size_t{longest_of(layout_, memories)} + 2)),
      completion_mask_(completions_.size() - 1),
      uses_(layout_.units.size()),
      settled_(layout_.units.size()) {
  const DataflowGraph& graph = *configuration.graph;
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    replicas_.push_back({FabricRecords(graph.accesses, graph.receives, layout_.uses_per_thread),
                         FabricInjector(groups_of(configuration, parameters))});
    next_.add(r * layout_.nodes);
  }
  for (std::uint32_t u = 0; u < layout_.units.size(); ++u) {
    layout_.units[u].since = start;
    no_thread_.add(u);
    has_sparse_ |= layout_.units[u].is_sparse;
    if (layout_.units[u].role != UnitRole::kMemory) continue;
    memory_.add(u);
    memory_units_.push_back(u);
  }
}

// The first token of an edge has been taken. Tokens come at most one a cycle: if this one has
// waited, the next one may be there, too, and is not announced again.
[[gnu::always_inline]] inline void FabricArray::took_token(TokenPort& port, std::uint64_t read,
                                                           std::int32_t arrived, std::uint32_t u) {
  const FabricUnit& from = *port.from;
  port.read = read + 1;
  if (from.waits_for_room) candidates_.add(index_of(from));
  if (arrived != 0 && read + 1 != from.written &&
      cycles_arrived(from.ring[(read + 1) & from.ring_mask], port.link_cycles, now_) >= 0)
    next_.add(u);
}

[[gnu::always_inline]] inline void FabricArray::deliver_simple(FabricUnit& unit, std::uint32_t u) {
  for (TokenPort *port = unit.port, *end = port + unit.ports; port != end; ++port) {
    const FabricUnit& from = *port->from;
    const std::uint64_t read = port->read;
    if (read == from.written) continue;
    const FabricToken token = from.ring[read & from.ring_mask];
    const std::int32_t arrived = cycles_arrived(token, port->link_cycles, now_);
    if (arrived < 0) continue;
    const std::uint64_t bit = bit_of(unit, sequence_of(token));
    if ((port->present & bit) != 0) {
      unit.is_blocked = true;
      continue;
    }
    // In every FIFO a thread comes before the next one that uses the same slot, and no thread
    // overtakes one that is further ahead than that.
    RADDLE_ASSERT(sequence_of(token) - unit.fires.first() < 2 * token_buffer_);
    port->present |= bit;
    took_token(*port, read, arrived, u);
  }
}

bool FabricArray::drops(const FabricUnit& unit, const TokenPort& port, std::uint32_t sent_by) {
  if (port.role != TokenPortRole::kDropping) return false;
  FabricRecords& records = records_of(unit);
  if (records.is_consumed(unit.receive, sent_by)) return false;
  records.use(sent_by);
  return true;
}

// What the unit has to know of a thread whose token has come.
[[gnu::always_inline]] inline void FabricArray::note(FabricUnit& unit, const TokenPort& port,
                                                     std::uint32_t sequence) {
  FabricRecords& records = records_of(unit);
  const std::uint64_t bit = bit_of(unit, sequence);
  switch (port.role) {
    case TokenPortRole::kPlain: break;
    case TokenPortRole::kDropping:
      records.use(sequence - static_cast<std::uint32_t>(std::int32_t{port.shift}));
      break;
    case TokenPortRole::kTrigger:
      if (!records.has_producer(unit.receive, sequence)) unit.alone |= bit;
      break;
    case TokenPortRole::kAddress:
      if (unit.kind == NodeKind::kLiveIn || unit.kind == NodeKind::kLiveOut) break;
      if (records.address(unit.number, sequence) != kInactive) {
        unit.loads |= bit;
      } else if (!unit.loads_or_receives || !records.has_producer(unit.receive, sequence)) {
        unit.alone |= bit;
      }
      break;
  }
}

// The first token of each edge to the unit, if it has arrived and finds its slot free.
[[gnu::always_inline]] inline void FabricArray::deliver(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  if (unit.is_simple) return deliver_simple(unit, u);
  TokenPort* const end = unit.port + unit.ports;
  for (TokenPort* port = unit.port; port != end; ++port) {
    const FabricUnit& from = *port->from;
    const std::uint64_t read = port->read;
    if (read == from.written) continue;
    const FabricToken token = from.ring[read & from.ring_mask];
    const std::int32_t arrived = cycles_arrived(token, port->link_cycles, now_);
    if (arrived < 0) continue;
    const std::uint32_t sequence =
        sequence_of(token) + static_cast<std::uint32_t>(std::int32_t{port->shift});
    const std::uint64_t bit = bit_of(unit, sequence);
    if (port->role != TokenPortRole::kPlain && drops(unit, *port, sequence_of(token))) {
      ++dropped_;
    } else if ((port->present & bit) != 0 || is_beyond_buffer(unit, sequence)) {
      unit.is_blocked = true;
      continue;
    } else {
      port->present |= bit;
      if (port->tags != nullptr) port->tags[slot_of(unit, sequence)] = sequence;
      if (port->role != TokenPortRole::kPlain) note(unit, *port, sequence);
    }
    took_token(*port, read, arrived, u);
  }
}

void FabricArray::inject(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  ReplicaState& replica = replicas_[unit.replica];
  if (replica.injector.is_done() || !may_fire(unit, u, 1)) return;
  const std::uint32_t sequence = replica.records.end();
  if (!replica.injector.append_next(feed_, unit.replica, replica.records))
    return set_use(unit, u, UnitUse::kNoThread);
  ++tokens_.threads;
  fire_slot(unit, u, sequence, 1);
}

// Whether the unit can fire for one of the slots; else says why not, and sees to it that the unit
// is looked at when that changes.
inline bool FabricArray::may_fire(FabricUnit& unit, std::uint32_t u, std::uint64_t ready) {
  if (unit.interval != 1 && now_ < unit.next_fire) {
    set_use(unit, u, UnitUse::kFired);
    wheel_.add(u, unit.next_fire);
    return false;
  }
  if (ready == 0) {
    set_use(unit, u, why_idle(unit));
    return false;
  }
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) set_use(unit, u, UnitUse::kConsumerFull);
  return !unit.waits_for_room;
}

// The tokens have been taken; `others` are slots that are complete as well.
inline void FabricArray::fire_slot(FabricUnit& unit, std::uint32_t u, std::uint32_t sequence,
                                   std::uint64_t others) {
  ++unit.fired;
  if (!unit.is_sparse) unit.fires.note(sequence, unit.slot_mask);
  if (unit.counts_firings) records_of(unit).use(sequence);
  push(unit, sequence, now_ + unit.latency);
  if (unit.interval != 1) {
    unit.next_fire = now_ + unit.interval;
    set_use(unit, u, UnitUse::kFired);
    next_.add(u);
    return;
  }
  look_ahead(unit, u, others);
}

// This cycle is known by the number of firings; how the unit spends the next one is found out then,
// unless nothing happens to it before a token comes.
[[gnu::always_inline]] inline void FabricArray::look_ahead(FabricUnit& unit, std::uint32_t u,
                                                           std::uint64_t others) {
  ++unit.since;
  if (others != 0 || unit.is_blocked) {
    unit.is_blocked = false;
    next_.add(u);
    return;
  }
  ++now_;
  set_use(unit, u, why_idle(unit));
  --now_;
}

[[gnu::always_inline]] inline void FabricArray::fire_simple(FabricUnit& unit, std::uint32_t u) {
  const std::uint64_t complete = ready_slots(unit);
  if (complete == 0) return set_use(unit, u, why_idle(unit));
  unit.waits_for_room = !has_room(unit);
  if (unit.waits_for_room) return set_use(unit, u, UnitUse::kConsumerFull);
  const std::uint64_t window = unit.fires.from_first(complete, unit.slot_mask);
  const std::uint32_t sequence =
      unit.fires.first() + static_cast<std::uint32_t>(std::countr_zero(window));
  take_tokens(unit, sequence);
  ++unit.fired;
  unit.fires.note(sequence, unit.slot_mask);
  if (unit.counts_firings) records_of(unit).use(sequence);
  push(unit, sequence, now_ + unit.latency);
  look_ahead(unit, u, complete & ~bit_of(unit, sequence));
}

[[gnu::always_inline]] inline void FabricArray::fire(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  if (unit.is_simple) return fire_simple(unit, u);
  const std::uint64_t complete = ready_slots(unit);
  const std::uint64_t ready = within_window(unit, unit.fires, complete);
  if (!may_fire(unit, u, ready)) return;
  const std::uint32_t sequence = oldest(unit, ready);
  take_tokens(unit, sequence);
  fire_slot(unit, u, sequence, complete & ~bit_of(unit, sequence));
}

void FabricArray::fire_elevator(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  const TokenPort& data = unit.port[0];
  TokenPort& trigger = unit.port[1];
  const std::uint64_t complete = trigger.present & (data.present | unit.alone);
  const std::uint64_t ready = within_window(unit, unit.fires, complete);
  if (!may_fire(unit, u, ready)) return;
  const std::uint32_t sequence = oldest(unit, ready);
  const std::uint64_t bit = bit_of(unit, sequence);
  if ((unit.alone & bit) != 0) {
    // What may lie in the slot of the data is for a later thread.
    unit.alone &= ~bit;
    trigger.present &= ~bit;
    ++alone_firings_;
  } else {
    take_tokens(unit, sequence);
  }
  fire_slot(unit, u, sequence, complete & ~bit);
}

std::uint32_t FabricArray::oldest_by_tags(const TokenPort& port, std::uint64_t slots) {
  std::uint32_t best = port.tags[std::countr_zero(slots)];
  for (slots &= slots - 1; slots != 0; slots &= slots - 1) {
    const std::uint32_t other = port.tags[std::countr_zero(slots)];
    if (is_older(other, best)) best = other;
  }
  return best;
}

bool FabricArray::find_room(FabricUnit& unit) {
  std::uint64_t room = ~std::uint64_t{0} >> 1;
  for (const TokenEdge* edge = unit.edge; edge != unit.edge + unit.edges; ++edge)
    room = std::min(room, edge->capacity - (unit.written - edge->port->read));
  unit.limit = unit.written + room;
  return room != 0;
}

void FabricArray::tick(std::uint64_t now) {
  now_ = now;
  std::swap(awake_, next_);
  next_.clear();
  wheel_.take(now, awake_);
  std::vector<std::uint32_t>& completed = completions_[now & completion_mask_];
  for (const std::uint32_t token : completed)
    layout_.units[token / 64].done |= std::uint64_t{1} << token % 64;
  completed.clear();

  candidates_ = awake_;
  awake_.for_each([this](std::uint32_t u) { deliver(u); });

  // Load/store units come last and take turns.
  for (std::size_t i = 0; i < candidates_.words(); ++i) {
    awake_.word(i) = candidates_.word(i) & memory_.word(i);
    candidates_.word(i) &= ~memory_.word(i);
  }
  candidates_.for_each([this](std::uint32_t u) {
    switch (layout_.units[u].role) {
      case UnitRole::kSource: inject(u); break;
      case UnitRole::kElevator: fire_elevator(u); break;
      default: fire(u);
    }
  });
  if (!memory_units_.empty())
    awake_.for_each_from(memory_units_[now % memory_units_.size()],
                         [this](std::uint32_t u) { work(u); });
  end_cycle();
  if (trace_ != nullptr) trace_units();
}

void FabricArray::end_cycle() {
  report_left();
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    ReplicaState& replica = replicas_[r];
    if (replica.seen != replica.records.end()) {
      replica.seen = replica.records.end();
      if (!no_thread_.empty()) change_use(r, false, UnitUse::kNoThread, UnitUse::kOperandMissing);
    }
    if (!has_sparse_ || replica.is_occupied == !replica.records.is_empty()) continue;
    replica.is_occupied = !replica.is_occupied;
    if (!replica.is_occupied) change_use(r, true, UnitUse::kOperandMissing, UnitUse::kNoThread);
  }
}

void FabricArray::report_left() {
  bool has_left = false;
  for (ReplicaState& replica : replicas_) {
    for (const std::uint32_t id : replica.records.left()) feed_.left(id);
    has_left |= !replica.records.left().empty();
    replica.records.left().clear();
  }
  if (!has_left) return;
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    if (replicas_[r].injector.is_waiting()) next_.add(r * layout_.nodes);
    replicas_[r].injector.ask_again();
  }
}

void FabricArray::change_use(std::uint32_t replica, bool only_sparse, UnitUse from, UnitUse to) {
  ++now_;
  for (std::uint32_t u = replica * layout_.nodes; u < (replica + 1) * layout_.nodes; ++u) {
    FabricUnit& unit = layout_.units[u];
    if (unit.use == from && (!only_sparse || unit.is_sparse)) set_use(unit, u, to);
  }
  --now_;
}

void FabricArray::answer(std::uint32_t token) {
  layout_.units[token / 64].done |= std::uint64_t{1} << token % 64;
  next_.add(token / 64);
}

void FabricArray::retry_refused() {
  for (std::size_t i = 0; i < refused_.words(); ++i) next_.word(i) |= refused_.word(i);
  refused_.clear();
}

std::uint64_t FabricArray::next_work(std::uint64_t now) const {
  return next_.empty() ? wheel_.next(now) : now + 1;
}

bool FabricArray::is_drained() const {
  return std::all_of(replicas_.begin(), replicas_.end(), [](const ReplicaState& replica) {
    return replica.injector.is_done() && replica.records.is_empty();
  });
}

std::size_t FabricArray::records_kept() const {
  std::size_t kept = 0;
  for (const ReplicaState& replica : replicas_) kept += replica.records.capacity();
  return kept;
}

}  // namespace raddle::machine::cgra
