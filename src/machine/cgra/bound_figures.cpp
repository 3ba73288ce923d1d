#include "machine/cgra/bound_figures.h"

#include <algorithm>
#include <array>
#include <map>

namespace raddle::machine::cgra {

namespace {

constexpr std::array<const char*, kUnitClasses> kNames{"alu",        "fpu",        "special",
                                                       "load_store", "split_join", "control"};

// Unit cycles of one value or effect.
struct Work {
  std::size_t unit = 0;
  std::uint64_t cycles = 0;
};

bool is_needed(const Piece& piece, const Node& node, std::uint32_t code) {
  if (code == kNoCode || node.unit == UnitClass::kPort) return false;
  switch (node.kind) {
    case NodeKind::kCompute:
    case NodeKind::kMemory:
    case NodeKind::kReceiveLoad: return true;
    case NodeKind::kElevator: return node.delivers;
    case NodeKind::kLiveIn:
      return std::ranges::find(piece.far_receives, code) != piece.far_receives.end();
    default: return false;
  }
}

}  // namespace

std::vector<sim::StatValue> bound_figures(const FabricKernel& kernel,
                                          const std::vector<FabricNodeCounts>& nodes,
                                          const FabricParameters& fabric) {
  std::array<std::uint64_t, kUnitClasses> work{};
  std::map<kernel::RegisterId, Work> values;  // that pieces compute, each once
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const PieceGraph& graph = kernel.pieces[p].graph;
    for (std::size_t n = 0; n < nodes[p].firings.size(); ++n) {
      const Node& node = graph.graph.nodes[n];
      const std::uint32_t code = graph.node_code[n];
      if (!is_needed(kernel.pieces[p], node, code)) continue;
      const Work one{static_cast<std::size_t>(node.unit), nodes[p].firings[n] * node.interval};
      const kernel::Instruction& i = kernel.function.blocks[p].instructions[code];
      if (node.kind != NodeKind::kCompute || !i.destinations[0].is_register()) {
        work[one.unit] += one.cycles;
        continue;
      }
      const auto [value, fresh] = values.try_emplace(i.destinations[0].index, one);
      if (!fresh) value->second.cycles = std::min(value->second.cycles, one.cycles);
    }
  }
  for (const auto& [value, one] : values) work[one.unit] += one.cycles;
  std::vector<sim::StatValue> figures;
  double most = 0;
  for (std::size_t u = 0; u < kUnitClasses; ++u) {
    const double cycles =
        static_cast<double>(work[u]) / (static_cast<double>(fabric.units[u]) * fabric.cores);
    most = std::max(most, cycles);
    figures.push_back(
        {"bound", kNames[u], "cycles", "operations of this class for each unit of it", cycles});
  }
  figures.push_back({"bound", "cycles", "cycles",
                     "the least that any mapping of the operations to these units takes", most});
  return figures;
}

}  // namespace raddle::machine::cgra
