#include "machine/cgra/fabric/fabric_layout.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/error.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kMax16Bit = 0xffff;  // of what has 16 bits in the cycle loop

PackedCycle packed(Cycle cycles) {
  RADDLE_ASSERT(cycles.count() <= kMax16Bit);
  return PackedCycle(static_cast<std::uint16_t>(cycles.count()));
}

bool is_memory(NodeKind kind) {
  return kind == NodeKind::kMemory || kind == NodeKind::kReceiveLoad || kind == NodeKind::kLiveIn ||
         kind == NodeKind::kLiveOut;
}

UnitRole role_of(const Node& node) {
  if (node.kind == NodeKind::kSource) return UnitRole::kSource;
  if (is_memory(node.kind)) return UnitRole::kMemory;
  return node.kind == NodeKind::kElevator && node.delivers ? UnitRole::kElevator : UnitRole::kPlain;
}

// Whether a token that comes out of this node has been given to another thread by an elevator that
// does not deliver: threads that nobody sends to have no token there.
bool is_shifted(const DataflowGraph& graph, const Node& node) {
  const Node* at = &node;
  for (std::size_t steps = 0; steps < graph.nodes.size(); ++steps) {
    if (at->kind != NodeKind::kElevator || at->delivers) return false;
    if (at->inputs[0].shift != 0) return true;
    at = &graph.nodes[at->inputs[0].from];
  }
  return false;
}

// The first node of a cascade knows who sent a token, and so whether anybody receives it.
bool starts_cascade(const DataflowGraph& graph, const Node& elevator) {
  const Input& data = elevator.inputs[0];
  return (data.shift != 0 || elevator.delivers) && !is_shifted(graph, graph.nodes[data.from]);
}

// What the turn before brings in a loop that stays: the last input.
bool has_loop_edge(const Node& node) {
  return node.kind == NodeKind::kLiveIn && node.inputs.back().shift != 0;
}

TokenPortRole role_of(const DataflowGraph& graph, const Node& node, std::size_t input) {
  if (input == 0 && is_memory(node.kind)) return TokenPortRole::kAddress;
  if (node.kind == NodeKind::kLiveIn && node.inputs[input].shift != 0)
    return TokenPortRole::kDropping;
  if (node.kind != NodeKind::kElevator) return TokenPortRole::kPlain;
  if (input == 0)
    return starts_cascade(graph, node) ? TokenPortRole::kDropping : TokenPortRole::kPlain;
  return TokenPortRole::kTrigger;
}

}  // namespace

FabricLayout::FabricLayout(const DataflowGraph& graph, const Mapping& mapping,
                           const FabricParameters& parameters)
    : slots(parameters.token_buffer),
      access_slots(std::max(parameters.load_store_entries, parameters.token_buffer)),
      nodes(static_cast<std::uint32_t>(graph.nodes.size())),
      replicas(static_cast<std::uint32_t>(mapping.replicas.size())) {
  RADDLE_ASSERT(nodes >= 1 && replicas >= 1 && graph.nodes[0].kind == NodeKind::kSource);
  for (std::uint32_t r = 0; r < replicas; ++r) {
    for (std::uint32_t n = 0; n < nodes; ++n) add_unit(graph, r, n);
  }
  connect_ports(graph, mapping, parameters.hop_cycles);
  connect_edges();
  make_rings();
  count_uses();
  narrow_windows(graph);
  find_simple_units();
}

void FabricLayout::add_unit(const DataflowGraph& graph, std::uint32_t replica, std::uint32_t n) {
  const Node& node = graph.nodes[n];
  RADDLE_ASSERT(node.latency >= Cycle(1) && node.interval >= Cycle(1));
  RADDLE_ASSERT(replica <= kMax16Bit && n <= kMax16Bit && node.receive <= kMax16Bit);
  const std::uint32_t loop_slots = node.kind == NodeKind::kLiveIn ? access_slots - slots : slots;
  RADDLE_ASSERT(std::abs(node.loop_shift) <= static_cast<std::int32_t>(loop_slots));
  FabricUnit unit;
  unit.role = role_of(node);
  unit.is_sparse = is_shifted(graph, node);
  unit.loads_or_receives = node.kind == NodeKind::kReceiveLoad ||
                           (node.kind == NodeKind::kLiveIn && node.loop_shift != 0);
  unit.has_loop_edge = unit.loads_or_receives && has_loop_edge(node);
  unit.ports = static_cast<std::uint16_t>(node.inputs.size() - (unit.has_loop_edge ? 1 : 0));
  const std::uint32_t own_slots = unit.role == UnitRole::kMemory ? access_slots : slots;
  for (std::uint32_t thread = own_slots; thread < kThreadBits; thread += own_slots)
    unit.same_slot |= bit_of(thread);
  unit.latency = packed(node.latency);
  unit.interval = packed(node.interval);
  unit.replica = static_cast<std::uint16_t>(replica);
  unit.node = static_cast<std::uint16_t>(n);
  unit.unit_class = node.unit;
  unit.kind = node.kind;
  unit.memory = node.port;
  unit.writes = node.writes || node.kind == NodeKind::kLiveOut;
  unit.atomic = node.atomic;
  unit.bytes = node.bytes;
  unit.number = node.number;
  unit.receive = static_cast<std::uint16_t>(node.receive);
  if (node.kind == NodeKind::kLiveOut)
    unit.guard_row = static_cast<std::uint16_t>(node.guard_access + 1);
  unit.loop_shift = static_cast<std::int16_t>(node.loop_shift);
  unit.window = static_cast<std::uint8_t>(slots);
  // The slots of a load/store unit are for accesses under way; operands wait in a token buffer of
  // its own. In others a token of the next round may wait in the slot of a thread that has fired.
  unit.reach = unit.role == UnitRole::kMemory ? slots : 2 * slots;
  RADDLE_ASSERT((unit.ports == 0) == (unit.role == UnitRole::kSource));
  RADDLE_ASSERT(unit.role != UnitRole::kElevator || unit.ports == 2);
  longest_delay = std::max({longest_delay, node.interval, node.latency});
  units.push_back(unit);
}

void FabricLayout::connect_ports(const DataflowGraph& graph, const Mapping& mapping,
                                 Cycle hop_cycles) {
  std::vector<std::size_t> start;
  for (FabricUnit& unit : units) {
    start.push_back(ports.size());
    unit.first_port = static_cast<std::uint32_t>(ports.size());
    const Node& node = graph.nodes[unit.node];
    FabricUnit* const replica = units.data() + std::size_t{unit.replica} * nodes;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      TokenPort port;
      port.from = replica + node.inputs[i].from;
      port.unit = static_cast<std::uint32_t>(&unit - units.data());
      const std::uint32_t hops = mapping.replicas[unit.replica].hops[unit.node][i];
      RADDLE_ASSERT(hops >= 1 && hops <= kMax16Bit);
      RADDLE_ASSERT(i == unit.ports ||
                    std::abs(node.inputs[i].shift) <= static_cast<std::int32_t>(slots));
      RADDLE_ASSERT(unit.role != UnitRole::kMemory || i == unit.ports || node.inputs[i].shift == 0);
      port.hops = static_cast<std::uint16_t>(hops);
      port.link_cycles = packed(hops * hop_cycles);
      port.shift = static_cast<std::int16_t>(node.inputs[i].shift);
      port.role = role_of(graph, node, i);
      ports.push_back(port);
    }
    // The loop is a port that no edge leads to.
    if (unit.loads_or_receives && !unit.has_loop_edge) ports.emplace_back();
  }
  for (std::size_t u = 0; u < units.size(); ++u) units[u].port = ports.data() + start[u];
  place_tags();
}

// A unit that does something for every thread in turn knows the thread by its bit; those of which
// only some threads' tokens come do not.
void FabricLayout::place_tags() {
  std::vector<FabricUnit*> tagged;
  for (FabricUnit& unit : units) {
    if (unit.is_sparse) tagged.push_back(&unit);
  }
  tags.resize(tagged.size() * kThreadBits);
  for (std::size_t i = 0; i < tagged.size(); ++i) tagged[i]->tags = tags.data() + i * kThreadBits;
}

void FabricLayout::connect_edges() {
  std::vector<std::vector<TokenEdge>> out(units.size());
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    for (std::uint32_t p = 0; p < units[u].edge_ports(); ++p) {
      const TokenPort& port = units[u].port[p];
      const Cycle delay = Cycle(port.from->latency) + port.link_cycles;
      const std::uint64_t stages = delay.count();  // one a cycle
      RADDLE_ASSERT(stages < kMax16Bit);
      out[static_cast<std::size_t>(port.from - units.data())].push_back(
          {&port, {}, port.link_cycles, static_cast<std::uint16_t>(stages + 1)});
      longest_delay = std::max(longest_delay, delay);
    }
  }
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    RADDLE_ASSERT(out[u].size() <= kMax16Bit);
    units[u].edges = static_cast<std::uint16_t>(out[u].size());
    edges.insert(edges.end(), out[u].begin(), out[u].end());
  }
  TokenEdge* next = edges.data();
  for (FabricUnit& unit : units) {
    unit.edge = next;
    next += unit.edges;
  }
}

void FabricLayout::make_rings() {
  std::vector<std::size_t> start;
  std::size_t size = 0;
  for (FabricUnit& unit : units) {
    std::uint32_t most = 1;
    for (std::uint32_t e = 0; e < unit.edges; ++e)
      most = std::max<std::uint32_t>(most, unit.edge[e].capacity);
    start.push_back(size);
    unit.ring_mask = std::bit_ceil(most) - 1;
    size += std::size_t{unit.ring_mask} + 1;
  }
  rings.resize(size);
  for (std::size_t u = 0; u < units.size(); ++u) units[u].ring = rings.data() + start[u];
}

// The tokens of K threads wait in an elevator for later threads that may not have been injected, so
// that the unit that sends them must not run ahead further than the rest of its S slots: else it
// could find no room for a thread that all others wait for. In a cascade, a token whose slot in the
// last elevator is taken would hold up older ones after it: its sender keeps the order of threads.
void FabricLayout::narrow_windows(const DataflowGraph& graph) {
  for (const Node& last : graph.nodes) {
    if (last.kind != NodeKind::kElevator || !last.delivers) continue;
    std::int64_t room = std::int64_t{slots} - last.inputs[0].shift;
    std::uint32_t sender = last.inputs[0].from;
    for (std::uint32_t steps = 0; steps < nodes; ++steps) {
      const Node& node = graph.nodes[sender];
      if (node.kind != NodeKind::kElevator || node.delivers) break;
      room = 1;
      sender = node.inputs[0].from;
    }
    const auto window = static_cast<std::uint8_t>(std::clamp<std::int64_t>(room, 1, slots));
    for (std::uint32_t r = 0; r < replicas; ++r) {
      FabricUnit& unit = units[r * nodes + sender];
      unit.window = std::min(unit.window, window);
    }
  }
}

void FabricLayout::find_simple_units() {
  for (FabricUnit& unit : units) {
    unit.is_simple = unit.role == UnitRole::kPlain && !unit.is_sparse && !unit.counts_firings &&
                     unit.interval == Cycle(1) && unit.window == slots;
    for (std::uint32_t p = 0; p < unit.ports; ++p)
      unit.is_simple =
          unit.is_simple && unit.port[p].role == TokenPortRole::kPlain && unit.port[p].shift == 0;
  }
}

void FabricLayout::count_uses() {
  for (FabricUnit& unit : units) {
    unit.counts_firings =
        unit.role == UnitRole::kElevator || (unit.role != UnitRole::kMemory && unit.edges == 0);
    if (unit.replica != 0) continue;
    uses_per_thread += unit.counts_firings || unit.role == UnitRole::kMemory ? 1 : 0;
    for (std::uint32_t p = 0; p < unit.edge_ports(); ++p)
      uses_per_thread += unit.port[p].role == TokenPortRole::kDropping ? 1 : 0;
  }
}

}  // namespace raddle::machine::cgra
