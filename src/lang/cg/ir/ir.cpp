#include "lang/cg/ir/ir.h"

#include <fmt/format.h>

namespace raddle::cg {
namespace {

constexpr std::string_view kChannels = "xyzw";
constexpr std::string_view kOps[] = {"mov", "add", "mul", "mad", "dot",  "min",  "max",
                                     "cmp", "frc", "ex2", "ln2", "rcp",  "rsq",  "sin",
                                     "cos", "tex", "mdh", "mdv", "cell", "input"};

}  // namespace

std::string text_of(const Ref& ref) {
  switch (ref.kind) {
    case Ref::Kind::kNone: return "_";
    case Ref::Kind::kValue: return fmt::format("v{}.{}", ref.index, kChannels[ref.channel]);
    case Ref::Kind::kUniform: return fmt::format("c{}.{}", ref.index, kChannels[ref.channel]);
    case Ref::Kind::kLiteral: return fmt::format("{}", ref.number());
  }
  return {};
}

std::string text_of(const std::array<Ref, 4>& refs, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += (i > 0 ? " " : "") + text_of(refs[i]);
  return "(" + text + ")";
}

namespace {

std::string text_of(const Source& source, unsigned count) {
  std::string text = text_of(source.refs, count);
  if (source.before == Before::kOneMinus) text = "1-" + text;
  if (source.before == Before::kDifference) text = text_of(source.second, count) + "-" + text;
  if (source.before == Before::kSum) text = text_of(source.second, count) + "+" + text;
  if (source.absolute) text = "|" + text + "|";
  return (source.negate ? "-" : "") + text;
}

}  // namespace

std::string text_of(const IrProgram& program, ValueId id) {
  const IrValue& value = program.values[id];
  std::string text =
      fmt::format("v{}:{} = {}{}", id, value.count, kOps[static_cast<std::size_t>(value.op)],
                  value.saturate ? "_sat" : "");
  if (value.scale != 0) text += fmt::format("_2^{}", value.scale);
  if (value.op == IrOp::kTex) text += fmt::format(" s{}", value.sampler);
  for (unsigned s = 0; s < value.source_count(); ++s)
    text += " " + text_of(value.sources[s], value.source_width());
  return text;
}

namespace {

void print(const IrProgram& program, const Region& region, int depth, std::string& text) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  for (const IrNode& node : region) {
    text += indent;
    switch (node.kind) {
      case NodeKind::kValue: text += text_of(program, node.value) + "\n"; break;
      case NodeKind::kIf:
        text += fmt::format("if {}{}\n", text_of(node.condition),
                            node.is_predicated ? " predicated" : "");
        print(program, node.then, depth + 1, text);
        if (!node.otherwise.empty()) {
          text += indent + "else\n";
          print(program, node.otherwise, depth + 1, text);
        }
        break;
      case NodeKind::kLoop:
        text += fmt::format("loop {}\n", node.count);
        print(program, node.then, depth + 1, text);
        break;
      case NodeKind::kBreak: text += "break\n"; break;
      case NodeKind::kContinue: text += "continue\n"; break;
      case NodeKind::kSet:
        text += "set";
        for (const CellSet& set : node.sets)
          text +=
              fmt::format(" v{}={}", set.cell, text_of(set.refs, program.values[set.cell].count));
        text += "\n";
        break;
      case NodeKind::kOutput:
        text += fmt::format("output {} {}\n", node.target, text_of(node.refs, 4));
        break;
      case NodeKind::kKill: text += "kill\n"; break;
    }
  }
}

}  // namespace

std::string print(const IrProgram& program) {
  std::string text;
  print(program, program.body, 0, text);
  return text;
}

}  // namespace raddle::cg
