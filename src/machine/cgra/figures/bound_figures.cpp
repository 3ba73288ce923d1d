#include "machine/cgra/figures/bound_figures.h"

#include <algorithm>
#include <array>
#include <map>

#include "machine/cgra/compile/graph_paths.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::array<const char*, kUnitClasses> kNames{"alu",        "fpu",        "special",
                                                       "load_store", "split_join", "control"};

constexpr double kMinHops = 1;
constexpr double kLongest = 1 << 20;  // cycles from one thread to the next
constexpr int kSteps = 40;            // of the search for it

// Unit cycles of one value or effect.
struct Work {
  std::size_t unit = 0;
  Cycle cycles;
};

bool is_needed(const Piece& piece, const Node& node, std::uint32_t code,
               const kernel::Instruction& i) {
  if (node.unit == UnitClass::kPort) return false;
  switch (node.kind) {
    case NodeKind::kCompute: return true;
    case NodeKind::kMemory:
    case NodeKind::kReceiveLoad: return !i.guard.present();
    case NodeKind::kElevator: return node.delivers;
    case NodeKind::kLiveIn:
      return std::ranges::find(piece.far_receives, code) != piece.far_receives.end();
    default: return false;
  }
}

// Registers beyond the program's were added where paths were joined.
Need need_of(const FabricKernel& kernel, kernel::RegisterId value) {
  if (kernel.needs.empty()) return Need::kEachTime;
  return value < kernel.needs.size() ? kernel.needs[value] : Need::kMaybeNever;
}

// Whether threads can follow each other every so many cycles: around no recurrence, tokens take
// longer than that for each thread they pass on.
bool is_possible(const DataflowGraph& graph, const std::vector<GraphEdge>& edges, double interval) {
  std::vector<double> start(graph.nodes.size(), 0);
  for (std::size_t round = 0; round <= graph.nodes.size(); ++round) {
    bool changed = false;
    std::size_t e = 0;
    for (const Node& node : graph.nodes) {
      for (const Input& input : node.inputs) {
        const GraphEdge& edge = edges[e++];
        if (!edge.recurrent) continue;
        const double least = start[edge.from] + graph.nodes[edge.from].latency.as_double() +
                             kMinHops - interval * input.shift;
        changed = changed || start[edge.to] < least - 1e-6;
        start[edge.to] = std::max(start[edge.to], least);
      }
    }
    if (!changed) return true;
  }
  return false;
}

// Cycles from one thread to the next in a copy, as far as recurrences say. 0: there are none.
double recurrence_interval(const DataflowGraph& graph) {
  const std::vector<GraphEdge> edges = edges_of(graph);
  if (std::ranges::none_of(edges, [](const GraphEdge& edge) { return edge.recurrent; })) return 0;
  double low = 0, high = 1;
  while (high < kLongest && !is_possible(graph, edges, high)) high *= 2;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (is_possible(graph, edges, middle) ? high : low) = middle;
  }
  return high;
}

// The share of a piece's threads that wait for another one: the first ones of a block or window do
// not, nor does anybody wait for the last ones of the block before.
double waiting_share(const FabricKernel& kernel, std::size_t p) {
  const Piece& piece = kernel.pieces[p];
  if (kernel.block_threads == 0) return 1;
  double share = 1;
  for (const Node& node : piece.graph.graph.nodes) {
    if (node.kind != NodeKind::kElevator || !node.delivers) continue;
    const std::uint32_t code = piece.graph.receive_code[node.receive];
    const std::uint32_t window = kernel.function.blocks[p].instructions[code].inter_thread.window;
    const double threads = window == 0 ? kernel.block_threads : window;
    double distance = 0;
    for (const Input& input : node.inputs) distance = std::max<double>(distance, input.shift);
    share = std::min(share, std::max(0.0, 1 - distance / threads));
  }
  return share;
}

// With as many blocks at a time as a core has room for.
double recurrence_cycles(const FabricKernel& kernel, const std::vector<FabricNodeCounts>& nodes,
                         std::uint32_t cores) {
  double cycles = 0;
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const DataflowGraph& graph = kernel.pieces[p].graph.graph;
    if (!graph.whole_blocks || nodes[p].firings.empty()) continue;
    cycles += static_cast<double>(nodes[p].firings[0]) * recurrence_interval(graph) *
              waiting_share(kernel, p) / (static_cast<double>(graph.most_copies) * cores);
  }
  return cycles;
}

}  // namespace

FabricLaunch bound_figures(const FabricKernel& kernel, const std::vector<FabricNodeCounts>& nodes,
                           const FabricParameters& fabric) {
  // Threads start in the first piece.
  const std::uint64_t threads = nodes[0].firings.empty() ? 0 : nodes[0].firings[0];
  std::array<Cycle, kUnitClasses> work{};
  std::map<kernel::RegisterId, Work> values;  // that pieces compute, each once
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const PieceGraph& graph = kernel.pieces[p].graph;
    for (std::size_t n = 0; n < nodes[p].firings.size(); ++n) {
      const Node& node = graph.graph.nodes[n];
      const std::uint32_t code = graph.node_code[n];
      if (code == kNoCode) continue;
      const kernel::Instruction& i = kernel.function.blocks[p].instructions[code];
      if (!is_needed(kernel.pieces[p], node, code, i)) continue;
      std::uint64_t firings = nodes[p].firings[n];
      if (node.kind == NodeKind::kCompute && i.destinations[0].is_register()) {
        const Need need = need_of(kernel, i.destinations[0].index);
        if (need == Need::kMaybeNever) continue;
        if (need == Need::kOnce) firings = std::min(firings, threads);
      }
      const Work one{static_cast<std::size_t>(node.unit), firings * node.unit_cycles};
      if (node.kind != NodeKind::kCompute || !i.destinations[0].is_register()) {
        work[one.unit] += one.cycles;
        continue;
      }
      const auto [value, fresh] = values.try_emplace(i.destinations[0].index, one);
      if (!fresh) value->second.cycles = std::min(value->second.cycles, one.cycles);
    }
  }
  for (const auto& [value, one] : values) work[one.unit] += one.cycles;
  FabricLaunch launch;
  const auto add = [&](const char* name, double cycles) {
    launch.bounds.push_back({name, cycles});
    launch.bound_cycles = std::max(launch.bound_cycles, cycles);
  };
  for (std::size_t u = 0; u < kUnitClasses; ++u)
    add(kNames[u], work[u].as_double() / (static_cast<double>(fabric.units[u]) * fabric.cores));
  // Chains of threads that wait for each other, over the copies that have blocks.
  add("recurrence", recurrence_cycles(kernel, nodes, fabric.cores));
  return launch;
}

}  // namespace raddle::machine::cgra
