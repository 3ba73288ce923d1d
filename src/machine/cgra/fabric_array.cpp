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

}  // namespace

FabricArray::FabricArray(const Configuration& configuration, const FabricParameters& parameters,
                         FabricMemories memories, std::uint64_t start)
    : layout_(*configuration.graph, *configuration.mapping, parameters.token_buffer,
              parameters.hop_cycles),
      slot_mask_(parameters.token_buffer - 1),
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
    replicas_.push_back({FabricRecords(graph.accesses, graph.receives, layout_.uses_per_thread)});
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
}

// The first token of each edge to the unit, if it has arrived and finds its slot free.
void FabricArray::deliver(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  for (std::uint32_t p = unit.first_port; p < unit.first_port + unit.ports; ++p) {
    TokenPort& port = layout_.ports[p];
    FabricUnit& from = layout_.units[port.from];
    if (port.read == from.written) continue;
    const FabricToken token = from.ring[port.read & from.ring_mask];
    if (!has_passed(token, port.link_cycles, now_) || !accept(unit, p, token)) continue;
    ++port.read;
    tokens_.link_hops += port.hops;
    if (from.waits_for_room) candidates_.add(port.from);
    // A token that arrived together with this one or before is not announced again.
    if (port.read != from.written &&
        has_passed(from.ring[port.read & from.ring_mask], port.link_cycles, now_))
      next_.add(u);
  }
}

bool FabricArray::accept(FabricUnit& unit, std::uint32_t p, FabricToken token) {
  TokenPort& port = layout_.ports[p];
  const std::uint32_t sent_by = sequence_of(token);
  const std::uint32_t sequence = sent_by + static_cast<std::uint32_t>(port.shift);
  const std::uint64_t bit = bit_of(sequence);
  if (port.role == TokenPortRole::kDropping) {
    FabricRecords& records = records_of(unit);
    if (!records.is_consumed(unit.receive, sent_by)) {
      records.use(sent_by);
      ++tokens_.dropped;
      return true;
    }
    if ((port.present & bit) != 0) return false;
    records.use(sent_by);
  } else if ((port.present & bit) != 0) {
    return false;
  }
  port.present |= bit;
  tag(p, slot_of(sequence)) = sequence;
  ++tokens_.buffer_writes;
  switch (port.role) {
    case TokenPortRole::kPlain:
    case TokenPortRole::kDropping: break;
    case TokenPortRole::kTrigger:
      if (!records_of(unit).has_producer(unit.receive, sequence)) unit.alone |= bit;
      break;
    case TokenPortRole::kAddress: {
      if (unit.kind == NodeKind::kLiveIn || unit.kind == NodeKind::kLiveOut) break;
      const FabricRecords& records = records_of(unit);
      const bool loads = records.address(unit.number, sequence) != kInactive;
      const bool receives =
          unit.loads_or_receives && !loads && records.has_producer(unit.receive, sequence);
      if (loads) unit.loads |= bit;
      if (!loads && !receives) unit.alone |= bit;
      break;
    }
  }
  return true;
}

void FabricArray::inject(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  ReplicaState& replica = replicas_[unit.replica];
  if (replica.has_ended || !may_fire(unit, u, 1)) return;
  if (replica.injected == replica.records.end()) {
    const FeedAnswer answer = feed_.next(unit.replica, group_);
    replica.has_ended = answer == FeedAnswer::kEnd;
    replica.waits_for_group = answer == FeedAnswer::kLater;
    if (answer != FeedAnswer::kGroup) return set_use(unit, u, UnitUse::kNoThread);
    replica.records.append(group_);
  }
  ++tokens_.threads;
  fire_slot(unit, u, replica.injected++);
}

// Whether the unit can fire for one of the slots; else says why not, and sees to it that the unit
// is looked at when that changes.
bool FabricArray::may_fire(FabricUnit& unit, std::uint32_t u, std::uint64_t ready) {
  if (now_ < unit.next_fire) {
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

void FabricArray::fire(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  const std::uint64_t ready = ready_slots(unit);
  if (!may_fire(unit, u, ready)) return;
  const std::uint32_t sequence = oldest(unit.first_port, ready);
  take_tokens(unit, bit_of(sequence), sequence);
  fire_slot(unit, u, sequence);
}

void FabricArray::fire_elevator(std::uint32_t u) {
  FabricUnit& unit = layout_.units[u];
  TokenPort& data = layout_.ports[unit.first_port];
  TokenPort& trigger = layout_.ports[unit.first_port + 1];
  const std::uint64_t ready = trigger.present & (data.present | unit.alone);
  if (!may_fire(unit, u, ready)) return;
  const std::uint32_t sequence = oldest(unit.first_port + 1, ready);
  const std::uint64_t bit = bit_of(sequence);
  if ((unit.alone & bit) != 0) {
    // What may lie in the slot of the data is for a later thread.
    unit.alone &= ~bit;
    trigger.present &= ~bit;
    ++tokens_.buffer_reads;
  } else {
    take_tokens(unit, bit, sequence);
  }
  fire_slot(unit, u, sequence);
}

void FabricArray::fire_slot(FabricUnit& unit, std::uint32_t u, std::uint32_t sequence) {
  ++unit.fired;
  unit.next_fire = now_ + unit.interval;
  if (unit.counts_firings) records_of(unit).use(sequence);
  push(unit, sequence, now_ + unit.latency);
  set_use(unit, u, UnitUse::kFired);
  next_.add(u);
}

void FabricArray::take_tokens(const FabricUnit& unit, std::uint64_t slot_bit,
                              std::uint32_t sequence) {
  for (std::uint32_t p = unit.first_port; p < unit.first_port + unit.ports; ++p) {
    // In every FIFO a thread comes before the next one that uses the same slot.
    RADDLE_ASSERT(tag(p, slot_of(sequence)) == sequence);
    layout_.ports[p].present &= ~slot_bit;
  }
  tokens_.buffer_reads += unit.ports;
}

std::uint64_t FabricArray::ready_slots(const FabricUnit& unit) const {
  std::uint64_t ready = ~std::uint64_t{0};
  for (std::uint32_t p = unit.first_port; p < unit.first_port + unit.ports; ++p)
    ready &= layout_.ports[p].present;
  return ready;
}

std::uint32_t FabricArray::oldest(std::uint32_t port, std::uint64_t slots) const {
  std::uint32_t best = tag(port, static_cast<std::uint32_t>(std::countr_zero(slots)));
  for (slots &= slots - 1; slots != 0; slots &= slots - 1) {
    const std::uint32_t other = tag(port, static_cast<std::uint32_t>(std::countr_zero(slots)));
    if (is_older(other, best)) best = other;
  }
  return best;
}

bool FabricArray::has_room(FabricUnit& unit) {
  if (unit.written != unit.limit) return true;
  std::uint64_t room = ~std::uint64_t{0} >> 1;
  for (std::uint32_t e = unit.first_edge; e < unit.first_edge + unit.edges; ++e) {
    const TokenEdge& edge = layout_.edges[e];
    room = std::min(room, edge.capacity - (unit.written - layout_.ports[edge.port].read));
  }
  unit.limit = unit.written + room;
  return room != 0;
}

// A result that is on its first links in that cycle.
void FabricArray::push(FabricUnit& unit, std::uint32_t sequence, std::uint64_t at) {
  if (unit.edges == 0) return;
  unit.ring[unit.written & unit.ring_mask] = make_token(at, sequence);
  ++unit.written;
  for (std::uint32_t e = unit.first_edge; e < unit.first_edge + unit.edges; ++e) {
    const TokenEdge& edge = layout_.edges[e];
    wheel_.add(edge.unit, at + edge.link_cycles);
  }
}

void FabricArray::end_cycle() {
  report_left();
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    ReplicaState& replica = replicas_[r];
    if (replica.seen != replica.injected) {
      replica.seen = replica.injected;
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
    if (replicas_[r].waits_for_group) next_.add(r * layout_.nodes);
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

UnitUse FabricArray::why_idle(const FabricUnit& unit) const {
  const ReplicaState& replica = replicas_[unit.replica];
  const bool is_done = unit.is_sparse ? replica.records.is_empty() : unit.fired == replica.seen;
  return is_done ? UnitUse::kNoThread : UnitUse::kOperandMissing;
}

void FabricArray::set_use(FabricUnit& unit, std::uint32_t u, UnitUse use) {
  if (unit.use == use) return;
  uses_[u][static_cast<std::size_t>(unit.use)] += now_ - unit.since;
  if (unit.use == UnitUse::kNoThread) no_thread_.remove(u);
  if (use == UnitUse::kNoThread) no_thread_.add(u);
  unit.use = use;
  unit.since = now_;
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
    return replica.has_ended && replica.records.is_empty();
  });
}

std::size_t FabricArray::records_kept() const {
  std::size_t kept = 0;
  for (const ReplicaState& replica : replicas_) kept += replica.records.capacity();
  return kept;
}

void FabricArray::settle(std::uint64_t now, FabricCounts& counts) {
  if (node_counts_ != nullptr) {
    node_counts_->firings.resize(layout_.nodes);
    node_counts_->cycles.resize(layout_.nodes);
  }
  for (std::uint32_t u = 0; u < layout_.units.size(); ++u) {
    FabricUnit& unit = layout_.units[u];
    UnitCycles& uses = uses_[u];
    uses[static_cast<std::size_t>(unit.use)] += now - unit.since;
    unit.since = now;
    const auto unit_class = static_cast<std::size_t>(unit.unit_class);
    const std::uint64_t fired = unit.fired - settled_[u];
    settled_[u] = unit.fired;
    counts.firings[unit_class] += fired;
    if (node_counts_ != nullptr) node_counts_->firings[unit.node] += fired;
    for (std::size_t i = 0; i < kUnitUses; ++i) {
      counts.cycles[unit_class][i] += uses[i];
      if (node_counts_ != nullptr) node_counts_->cycles[unit.node][i] += uses[i];
    }
    uses = {};
  }
  counts.tokens += tokens_;
  tokens_ = {};
}

std::vector<FabricWait> FabricArray::waits() const {
  std::vector<FabricWait> waits;
  for (const FabricUnit& unit : layout_.units) describe_waits(unit, waits);
  return waits;
}

void FabricArray::describe_waits(const FabricUnit& unit, std::vector<FabricWait>& waits) const {
  std::uint64_t any = 0;
  for (std::uint32_t p = 0; p < unit.ports; ++p) any |= layout_.ports[unit.first_port + p].present;
  for (; any != 0; any &= any - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(any));
    const std::uint64_t bit = std::uint64_t{1} << slot;
    FabricWait wait{unit.replica, unit.node, 0, FabricWait::For::kRoom, 0, 0};
    bool is_complete = true;
    for (std::uint32_t p = unit.ports; p-- > 0;) {
      const bool is_there = (layout_.ports[unit.first_port + p].present & bit) != 0;
      const bool is_needed = unit.role != UnitRole::kElevator || p == 1 || (unit.alone & bit) == 0;
      if (is_there) wait.thread = tag(unit.first_port + p, slot);
      if (is_there || !is_needed) continue;
      is_complete = false;
      wait.input = p;
    }
    if (!is_complete) {
      wait.what = FabricWait::For::kInput;
      wait.other = wait.thread -
                   static_cast<std::uint32_t>(layout_.ports[unit.first_port + wait.input].shift);
    } else if (unit.loads_or_receives && ((unit.alone | unit.loads) & bit) == 0 &&
               (layout_.ports[unit.first_port + unit.ports].present & bit) == 0) {
      wait.what = FabricWait::For::kLoop;
      wait.other = wait.thread - static_cast<std::uint32_t>(unit.loop_shift);
    }
    waits.push_back(wait);
  }
}

}  // namespace raddle::machine::cgra
