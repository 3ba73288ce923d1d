#include "lang/cg/ir/ir_dot.h"

#include <fmt/format.h>

#include <set>

namespace raddle::cg {
namespace {

class Drawing {
 public:
  Drawing(const IrProgram& program, const std::function<std::uint32_t(Place)>& line_of)
      : program_(program), line_of_(line_of) {}

  std::string run(const std::string& name) {
    text_ = fmt::format("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", name);
    draw(program_.body);
    // Cells and inputs have no node of their own in a region.
    for (const ValueId value : read_) {
      if (!drawn_.contains(value)) draw_value(value, {});
    }
    return text_ + edges_ + "}\n";
  }

 private:
  void box(const std::string& id, const std::string& label, Place place,
           std::string_view more = {}) {
    text_ += fmt::format("  {} [label=\"{}\\nline {}\"{}];\n", id, label, line_of_(place), more);
  }

  void edge(const Ref& from, const std::string& to, std::string_view more = {}) {
    if (!from.is_value()) return;
    read_.insert(from.index);
    const std::string line = fmt::format("  v{} -> {}{};\n", from.index, to, more);
    if (seen_.insert(line).second) edges_ += line;
  }

  void draw_value(ValueId id, Place place) {
    drawn_.insert(id);
    const IrValue& value = program_.values[id];
    const std::string name = fmt::format("v{}", id);
    if (value.op == IrOp::kCell || value.op == IrOp::kInput) {
      text_ += fmt::format("  {} [label=\"{}\", style=rounded];\n", name, text_of(program_, id));
    } else {
      box(name, text_of(program_, id), place);
    }
    for_each_ref(value, [&](const Ref& ref) { edge(ref, name); });
  }

  void frame(const std::string& label, const Region& region) {
    text_ += fmt::format("  subgraph cluster{} {{\n  label=\"{}\";\n", next_++, label);
    draw(region);
    text_ += "  }\n";
  }

  void draw(const Region& region) {
    for (const IrNode& node : region) draw(node);
  }

  void draw(const IrNode& node) {
    const std::string id = fmt::format("n{}", next_++);
    switch (node.kind) {
      case NodeKind::kValue: draw_value(node.value, program_.values[node.value].place); break;
      case NodeKind::kIf:
        box(id, "if " + text_of(node.condition), node.place, ", shape=diamond");
        edge(node.condition, id);
        frame("if " + text_of(node.condition), node.then);
        if (!node.otherwise.empty()) frame("else", node.otherwise);
        break;
      case NodeKind::kLoop:
        frame(fmt::format("loop, at most {} turns", node.count), node.then);
        break;
      case NodeKind::kBreak: box(id, "break", node.place); break;
      case NodeKind::kContinue: box(id, "continue", node.place); break;
      case NodeKind::kKill: box(id, "discard", node.place); break;
      case NodeKind::kSet:
        for (const CellSet& set : node.sets) {
          read_.insert(set.cell);
          const unsigned count = program_.values[set.cell].count;
          for (unsigned i = 0; i < count; ++i)
            edge(set.refs[i], fmt::format("v{}", set.cell), " [style=dashed]");
        }
        break;
      case NodeKind::kOutput:
        box(id, fmt::format("output {} {}", node.target, text_of(node.refs, 4)), node.place,
            ", style=bold");
        for (const Ref& ref : node.refs) edge(ref, id);
        break;
    }
  }

  const IrProgram& program_;
  const std::function<std::uint32_t(Place)>& line_of_;
  std::string text_, edges_;
  std::set<std::string> seen_;
  std::set<ValueId> drawn_, read_;
  unsigned next_ = 0;
};

}  // namespace

std::string print_dot(const IrProgram& program, const std::string& name,
                      const std::function<std::uint32_t(Place)>& line_of) {
  return Drawing(program, line_of).run(name);
}

}  // namespace raddle::cg
