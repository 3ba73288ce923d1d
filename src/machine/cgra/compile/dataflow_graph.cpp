#include "machine/cgra/compile/dataflow_graph.h"

#include <algorithm>

namespace raddle::machine::cgra {

namespace {

constexpr std::array<std::string_view, kUnitClasses + 1> kUnitNames{
    "ALU", "FPU", "special", "load/store", "split/join", "control", "port"};
constexpr std::array<std::string_view, 9> kKindNames{
    "source", "compute",  "memory", "receive or load", "live in", "live out",
    "join",   "elevator", "exit"};

}  // namespace

std::string_view name_of(UnitClass unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }
std::string_view name_of(NodeKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::array<std::uint32_t, kUnitClasses> DataflowGraph::units_needed() const {
  std::array<std::uint32_t, kUnitClasses> needed{};
  for (const Node& node : nodes) {
    if (node.unit != UnitClass::kPort) ++needed[static_cast<std::size_t>(node.unit)];
  }
  return needed;
}

Cycle longest_interval(const DataflowGraph& graph) {
  Cycle longest{1};
  for (const Node& node : graph.nodes) longest = std::max(longest, node.interval);
  return longest;
}

}  // namespace raddle::machine::cgra
