// A kernel given as IR text, cut into segments, and the pieces that regions of them make.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/analysis/graphs.h"
#include "kernel/text_form.h"
#include "machine/cgra/compile/graph_builder.h"
#include "machine/cgra/compile/piece_code.h"

namespace raddle::machine::cgra {

class PieceStand {
 public:
  explicit PieceStand(std::string_view body, std::size_t most_phis = 8,
                      std::uint32_t cheap_operations = 2)
      : kernel(cut_into_segments(kernel::function_from(body), module, most_phis)),
        facts(kernel.function, module, {cheap_operations}),
        uses(find_uses(kernel)) {}

  PieceCode piece(const std::vector<SegmentId>& region) const {
    return convert_to_piece(kernel, facts, uses, region);
  }
  // All segments as one piece.
  PieceCode whole() const {
    std::vector<SegmentId> all;
    for (SegmentId s = 0; s < kernel.segments.size(); ++s) all.push_back(s);
    return piece(all);
  }
  PieceGraph graph(const PieceCode& code, const GraphOptions& options = {}) const {
    return build_graph(kernel.function, code, options);
  }

  // The instructions of a piece, one a line.
  std::vector<std::string> lines(const PieceCode& code) const {
    kernel::Function function = with_added(code);
    const kernel::FunctionText text(module, function);
    std::vector<std::string> all;
    for (const kernel::Instruction& i : code.code) all.push_back(text.instruction(i));
    return all;
  }
  std::string name(kernel::RegisterId value) const {
    return value < kernel.function.registers.size() ? kernel.function.registers[value].name
                                                    : "added";
  }
  std::vector<std::string> names(const std::vector<kernel::RegisterId>& values) const {
    std::vector<std::string> all;
    for (const kernel::RegisterId value : values) all.push_back(name(value));
    return all;
  }
  kernel::RegisterId value(std::string_view wanted) const {
    for (kernel::RegisterId r = 0; r < kernel.function.registers.size(); ++r) {
      if (kernel.function.registers[r].name == wanted) return r;
    }
    throw std::runtime_error("no register " + std::string(wanted));
  }

  kernel::Module module;
  SegmentedKernel kernel;
  ValueFacts facts;
  SegmentUses uses;

 private:
  kernel::Function with_added(const PieceCode& code) const {
    kernel::Function function = kernel.function;
    function.registers.insert(function.registers.end(), code.added.begin(), code.added.end());
    return function;
  }
};

inline std::vector<std::string> labels(const DataflowGraph& graph) {
  std::vector<std::string> all;
  for (const Node& node : graph.nodes) all.push_back(node.label);
  return all;
}
// The first node with that label.
inline std::uint32_t node_of(const DataflowGraph& graph, std::string_view label) {
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].label == label) return n;
  }
  throw std::runtime_error("no node " + std::string(label));
}
inline std::size_t count_of(const DataflowGraph& graph, NodeKind kind) {
  return static_cast<std::size_t>(std::count_if(
      graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.kind == kind; }));
}

}  // namespace raddle::machine::cgra
