#include "machine/cgra/fabric/fabric_array.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace raddle::machine::cgra {

namespace {

Cycle longest_of(const FabricLayout& layout, const FabricMemories& memories) {
  return std::max({layout.longest_delay, memories.data.hit_latency(), memories.scratchpad.latency(),
                   memories.live_values.latency()});
}

// Groups that an injector takes turns with: so many that the lines they work on take no more than a
// quarter of the L1, or they would push each other's out before these are done with. Accesses to
// the other memories come back soon.
std::uint32_t groups_of(const Configuration& configuration, const FabricParameters& parameters) {
  const DataflowGraph& graph = *configuration.graph;
  if (graph.whole_blocks || graph.stays) return 1;
  const auto accesses = std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.kind == NodeKind::kMemory && node.port != MemoryPort::kShared;
  });
  const std::size_t units =
      static_cast<std::size_t>(accesses) * configuration.mapping->replicas.size();
  if (units == 0) return 1;
  const std::uint64_t lines = parameters.l1.bytes / parameters.l1.line_bytes / 4;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(lines / units, 1, parameters.injector_groups));
}

// How many threads ahead lines are asked for: those that enter when the ones that take turns now
// have left. Whole blocks, because addresses in the same place of different blocks are further
// apart by the same distance, mostly.
std::uint32_t threads_ahead(const Configuration& configuration,
                            const FabricParameters& parameters) {
  const std::uint32_t block = std::max(1u, configuration.block_threads);
  const auto copies = static_cast<std::uint32_t>(configuration.mapping->replicas.size());
  if (configuration.graph->whole_blocks) return block * copies;
  const std::uint32_t taking_turns =
      groups_of(configuration, parameters) * TurnPrefetch::Load::kGroup * copies;
  return (taking_turns + block - 1) / block * block;
}

}  // namespace

FabricArray::FabricArray(const Configuration& configuration, const FabricParameters& parameters,
                         FabricMemories memories, Cycle start, std::uint32_t slot)
    : layout_(*configuration.graph, *configuration.mapping, parameters),
      slot_(slot),
      token_buffer_(parameters.token_buffer),
      memories_(memories),
      feed_(*configuration.threads),
      node_counts_(configuration.counts),
      now_(start),
      wheel_(layout_.units.size(), longest_of(layout_, memories)),
      next_(layout_.units.size()),
      candidates_(layout_.units.size()),
      links_(layout_.ports.size(), longest_of(layout_, memories)),
      arrivals_(layout_.ports.size()),
      again_(layout_.ports.size()),
      late_(layout_.ports.size()),
      direct_(layout_.ports.size()),
      memory_(layout_.units.size()),
      working_(layout_.units.size()),
      refused_(layout_.units.size()),
      no_thread_(layout_.units.size()),
      completions_(std::bit_ceil(longest_of(layout_, memories).count() + 2)),
      completion_mask_(static_cast<std::uint32_t>(completions_.size() - 1)),
      mapping_(*configuration.mapping),
      absent_(layout_.units.size()),
      absent_ports_(layout_.ports.size()),
      strides_(layout_.units.size()),
      turns_(layout_.units.size(), nullptr),
      prefetch_(parameters.prefetch),
      uses_(layout_.units.size()),
      settled_(layout_.units.size()) {
  const DataflowGraph& graph = *configuration.graph;
  const Cycle scalar_cycles =
      parameters.scalar_units == 0
          ? Cycle(0)
          : Cycle((graph.uniform_cycles.count() + parameters.scalar_units - 1) /
                  parameters.scalar_units);
  replicas_.reserve(layout_.replicas);  // units point to them
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    replicas_.push_back(
        {FabricRecords(graph.accesses, graph.receives, layout_.uses_per_thread),
         FabricInjector(groups_of(configuration, parameters), scalar_cycles, &shared_values_)});
    next_.add(r * layout_.nodes);
  }
  const TurnPrefetch::Expected expected{.distance = threads_ahead(configuration, parameters),
                                        .comes_again = configuration.comes_again,
                                        .turns = graph.stays ? prefetch_ : 1};
  for (std::uint32_t u = 0; u < layout_.units.size(); ++u) {
    FabricUnit& unit = layout_.units[u];
    unit.home = &replicas_[unit.replica];
    unit.since = start;
    no_thread_.add(u);
    has_sparse_ |= unit.is_sparse;
    if (unit.is_simple || unit.role == UnitRole::kMemory) {
      for (std::uint32_t p = 0; p < unit.ports; ++p) direct_.add(unit.first_port + p);
    }
    if (unit.role != UnitRole::kMemory) continue;
    memory_.add(u);
    memory_units_.push_back(u);
    const bool loads = (unit.kind == NodeKind::kMemory || unit.kind == NodeKind::kReceiveLoad) &&
                       unit.memory == MemoryPort::kGlobal && !unit.writes && !unit.atomic;
    if (prefetch_ > 0 && loads) turns_[u] = memories_.turns.load(graph, unit.number, expected);
  }
  for (TokenEdge& edge : layout_.edges)
    edge.arrival = links_.place_of(static_cast<std::uint32_t>(edge.port - layout_.ports.data()));
}

void FabricArray::tick(Cycle now) {
  now_ = now;
  std::swap(candidates_, next_);
  next_.clear();
  wheel_.take(now, candidates_);
  arrivals_.clear();
  links_.take(now, arrivals_);
  std::vector<std::uint32_t>& completed = completions_in(now);
  for (const std::uint32_t token : completed)
    layout_.units[token / kThreadBits].done |= bit_of(token);
  completed.clear();
  if (waits_for_units_) [[unlikely]] {
    for (std::size_t i = 0; i < candidates_.words(); ++i) candidates_.word(i) &= ~absent_.word(i);
    for (std::size_t i = 0; i < arrivals_.words(); ++i) arrivals_.word(i) &= ~absent_ports_.word(i);
  }

  deliver_tokens(now);
  // Load/store units come last and take turns.
  for (std::size_t i = 0; i < candidates_.words(); ++i) {
    working_.word(i) = candidates_.word(i) & memory_.word(i);
    candidates_.word(i) &= ~memory_.word(i);
  }
  fire_units(now);
  if (!memory_units_.empty()) work_units(now);
  end_cycle();
  if (trace_ != nullptr) trace_units();
}

void FabricArray::end_cycle() {
  report_left();
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    FabricReplica& replica = replicas_[r];
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
  has_left_ = false;
  for (FabricReplica& replica : replicas_) {
    for (const std::uint32_t id : replica.records.left()) feed_.left(id);
    has_left_ |= !replica.records.left().empty();
    replica.records.left().clear();
  }
  if (has_left_) ask_feed_again();
}

void FabricArray::ask_feed_again() {
  for (std::uint32_t r = 0; r < layout_.replicas; ++r) {
    if (replicas_[r].injector.is_waiting()) next_.add(r * layout_.nodes);
    replicas_[r].injector.ask_again();
  }
}

void FabricArray::change_use(std::uint32_t replica, bool only_sparse, UnitUse from, UnitUse to) {
  for (std::uint32_t u = replica * layout_.nodes; u < (replica + 1) * layout_.nodes; ++u) {
    FabricUnit& unit = layout_.units[u];
    if (unit.use == from && (!only_sparse || unit.is_sparse)) set_use(unit, u, to, now_ + Cycle(1));
  }
}

void FabricArray::answer(std::uint32_t token) {
  const std::uint32_t u = (token & ~(1u << kSlotShift)) / kThreadBits;
  layout_.units[u].done |= bit_of(token);
  next_.add(u);
}

void FabricArray::retry_refused() {
  for (std::size_t i = 0; i < refused_.words(); ++i) next_.word(i) |= refused_.word(i);
  refused_.clear();
}

Cycle FabricArray::next_work(Cycle now) const {
  if (!next_.empty() || !again_.empty()) return now + Cycle(1);
  return std::min(wheel_.next(now), links_.next(now));
}

bool FabricArray::is_closing() const {
  return std::all_of(replicas_.begin(), replicas_.end(),
                     [](const FabricReplica& replica) { return replica.injector.is_done(); });
}

bool FabricArray::is_drained() const {
  return std::all_of(replicas_.begin(), replicas_.end(), [](const FabricReplica& replica) {
    return replica.injector.is_done() && replica.records.is_empty();
  });
}

std::size_t FabricArray::records_kept() const {
  std::size_t kept = 0;
  for (const FabricReplica& replica : replicas_) kept += replica.records.capacity();
  return kept;
}

}  // namespace raddle::machine::cgra
