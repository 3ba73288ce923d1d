// The graph of a program as a drawing: a box a block, a node a thread, an arrow an arc.
#include <sstream>

#include "ddm/graph_walk.h"

namespace raddle::ddm {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string range_text(const ThreadTemplate& thread) {
  if (thread.dimensions == 0) return "";
  std::string text;
  for (int i = kMaxDimensions - thread.dimensions; i < kMaxDimensions; ++i) {
    if (!text.empty()) text += "×";
    text += thread.fixed_extents ? std::to_string(thread.fixed_extents->size[i]) : "n";
  }
  return text + (thread.exists ? " where …" : "");
}

std::string arc_label(const BlockGraph& block, const Arc& arc) {
  std::string label;
  if (arc.when) label = "if " + std::to_string(*arc.when);
  std::string step;
  if (arc.kind == ArcKind::kMap) step = "mapped";
  if (arc.kind == ArcKind::kOffset && arc.offset != Distance{0, 0, 0}) {
    for (int i = kMaxDimensions - block.threads[arc.from].dimensions; i < kMaxDimensions; ++i) {
      step += (step.empty() ? "" : ",") + std::string(arc.offset[i] > 0 ? "+" : "") +
              std::to_string(arc.offset[i]);
    }
  }
  if (arc.kind == ArcKind::kAll &&
      block.threads[arc.from].dimensions + block.threads[arc.to].dimensions > 0)
    step = "all";
  return label + (label.empty() || step.empty() ? "" : ", ") + step;
}

const char* node_style(ThreadKind kind) {
  switch (kind) {
    case ThreadKind::kSwitch: return ", shape=diamond";
    case ThreadKind::kCall: return ", shape=box, peripheries=2";
    case ThreadKind::kDynamic: return ", shape=box, style=dashed";
    case ThreadKind::kExternal: return ", shape=box, style=rounded";
    case ThreadKind::kPlain: break;
  }
  return ", shape=box";
}

void write_block(std::ostringstream& out, const ProgramGraph& program, std::size_t number) {
  const auto& block = *program.blocks[number];
  const auto node = [&](std::uint32_t thread) {
    return "b" + std::to_string(number) + "t" + std::to_string(thread);
  };
  out << "  subgraph cluster_" << number << " {\n    label=" << quoted(block.name) << ";\n";
  for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
    const auto& thread = block.threads[i];
    const auto range = range_text(thread);
    std::string label = quoted(thread.name + (range.empty() ? "" : "\n" + range));
    for (auto at = label.find('\n'); at != std::string::npos; at = label.find('\n'))
      label.replace(at, 1, "\\n");
    out << "    " << node(i) << " [label=" << label << node_style(thread.kind) << "];\n";
  }
  for (const auto& arc : block.arcs) {
    out << "    " << node(arc.from) << " -> " << node(arc.to);
    const auto label = arc_label(block, arc);
    std::string style = label.empty() ? "" : "label=" + quoted(label);
    if (arc.again)
      style += std::string(style.empty() ? "" : ", ") + "style=dashed, constraint=false";
    if (!style.empty()) out << " [" << style << "]";
    out << ";\n";
  }
  out << "  }\n";
}

}  // namespace

std::string dot(const ProgramGraph& program) {
  std::ostringstream out;
  out << "digraph ddm {\n  node [fontname=\"sans-serif\"];\n";
  for (std::size_t number = 0; number < program.blocks.size(); ++number)
    write_block(out, program, number);
  for (std::size_t number = 0; number < program.blocks.size(); ++number) {
    const auto& block = *program.blocks[number];
    for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
      if (block.threads[i].kind != ThreadKind::kCall) continue;
      for (std::size_t callee = 0; callee < program.blocks.size(); ++callee) {
        if (program.blocks[callee].get() != block.threads[i].invocation.callee) continue;
        if (program.blocks[callee]->threads.empty()) continue;
        out << "  b" << number << "t" << i << " -> b" << callee << "t0 [lhead=cluster_" << callee
            << ", style=dotted, label=\"invokes\"];\n";
      }
    }
  }
  out << "  compound=true;\n}\n";
  return out.str();
}

}  // namespace raddle::ddm
