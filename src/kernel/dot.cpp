#include "kernel/dot.h"

#include <fmt/format.h>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/loops.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

// Text within a quoted label; `\l` ends a line flush left.
std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    // Record nodes give these a meaning of their own.
    if (c == '{' || c == '}' || c == '<' || c == '>' || c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

class DotPrinter {
 public:
  DotPrinter(const Module& module, const Function& function, const DotOptions& options,
             std::string prefix)
      : function_(function),
        options_(options),
        prefix_(std::move(prefix)),
        text_(module, function),
        graph_(function),
        loops_(graph_, DominatorTree(graph_)),
        meeting_points_(reconvergence_points(graph_)) {}

  std::string print() const {
    std::string text;
    for (BlockId block = 0; block < graph_.size(); ++block) text += node(block);
    for (BlockId block = 0; block < graph_.size(); ++block) text += edges(block);
    return text;
  }

 private:
  std::string name(BlockId block) const { return fmt::format("{}b{}", prefix_, block); }

  std::string node(BlockId block) const {
    const auto& instructions = function_.blocks[block].instructions;
    std::string body;
    if (options_.instructions) {
      for (const Instruction& instruction : instructions)
        body += escape(text_.instruction(instruction)) + "\\l";
    } else {
      body =
          fmt::format("{} instruction{}", instructions.size(), instructions.size() == 1 ? "" : "s");
    }
    const std::string_view style = graph_.reachable(block) ? "" : ", style=dashed, color=gray";
    return fmt::format("  {} [label=\"{{{}|{}}}\"{}];\n", name(block), escape(text_.block(block)),
                       body, style);
  }

  std::string edges(BlockId block) const {
    std::string text;
    const auto& successors = graph_.successors(block);
    for (const BlockId successor : successors) {
      std::string attributes;
      const auto add = [&](const std::string& attribute) {
        attributes += (attributes.empty() ? "" : ", ") + attribute;
      };
      const std::string label = edge_label(block, successor);
      if (!label.empty()) add(fmt::format("label=\"{}\"", escape(label)));
      if (loops_.is_back_edge(block, successor)) add("color=blue, style=bold");
      text += fmt::format("  {} -> {}{};\n", name(block), name(successor),
                          attributes.empty() ? "" : " [" + attributes + "]");
    }
    const BlockId meeting_point = meeting_points_[block];
    if (options_.reconvergence && successors.size() > 1 && meeting_point != kNoId) {
      text +=
          fmt::format("  {} -> {} [style=dotted, color=gray, constraint=false, label=\"meet\"];\n",
                      name(block), name(meeting_point));
    }
    return text;
  }

  // "%p1", "!%p1", the case numbers of a brx.idx; nothing where there is one way only.
  std::string edge_label(BlockId block, BlockId successor) const {
    if (graph_.successors(block).size() < 2) return {};
    const Instruction& last = function_.blocks[block].instructions.back();
    if (last.opcode == Opcode::kBrx) {
      std::string cases;
      for (std::size_t i = 0; i < last.targets.size(); ++i) {
        if (last.targets[i] == successor)
          cases += fmt::format("{}{}", cases.empty() ? "" : ", ", i);
      }
      return cases;
    }
    const bool taken = !last.targets.empty() && last.targets[0] == successor;
    return (taken != last.guard.negated ? "" : "!") + text_.reg(last.guard.predicate);
  }

  const Function& function_;
  DotOptions options_;
  std::string prefix_;
  FunctionText text_;
  ControlFlowGraph graph_;
  LoopForest loops_;
  std::vector<BlockId> meeting_points_;
};

constexpr std::string_view kNodeStyle = "  node [shape=record, fontname=monospace, fontsize=10];\n";

}  // namespace

std::string print_dot(const Module& module, const Function& function, const DotOptions& options) {
  return fmt::format("digraph \"{}\" {{\n{}{}}}\n", escape(function.name), kNodeStyle,
                     DotPrinter(module, function, options, "").print());
}

std::string print_dot(const Module& module, const DotOptions& options) {
  std::string text = fmt::format("digraph \"{}\" {{\n{}", escape(module.name), kNodeStyle);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    if (function.is_declaration) continue;
    text +=
        fmt::format("  subgraph cluster_{} {{\n  label=\"{}\";\n{}  }}\n", i, escape(function.name),
                    DotPrinter(module, function, options, fmt::format("f{}", i)).print());
  }
  return text + "}\n";
}

}  // namespace raddle::kernel
