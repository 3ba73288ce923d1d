#include "lang/cg/words/lir.h"

#include <fmt/format.h>

namespace raddle::cg {

unsigned LirOp::operand_count() const {
  if (is_kill) return 1;
  IrValue value;
  value.op = op;
  return value.source_count();
}

std::vector<std::vector<std::uint32_t>> successors(const std::vector<LirItem>& items) {
  const auto size = static_cast<std::uint32_t>(items.size());
  std::vector<std::vector<std::uint32_t>> result(size);
  std::vector<std::uint32_t> open;                  // branches and loops
  std::vector<std::vector<std::uint32_t>> leaving;  // breaks of each open loop
  std::vector<std::vector<std::uint32_t>> again;    // continues
  std::vector<std::uint32_t> loops;
  for (std::uint32_t i = 0; i < size; ++i) {
    switch (items[i].kind) {
      case ItemKind::kOp: result[i].push_back(i + 1); break;
      case ItemKind::kIf:
        result[i].push_back(i + 1);
        open.push_back(i);
        break;
      case ItemKind::kElse:
        result[open.back()].push_back(i + 1);
        open.back() = i;  // goes on after the end, once that is known
        break;
      case ItemKind::kEndIf:
        result[open.back()].push_back(i);
        open.pop_back();
        result[i].push_back(i + 1);
        break;
      case ItemKind::kLoop:
        result[i].push_back(i + 1);
        loops.push_back(i);
        leaving.emplace_back();
        again.emplace_back();
        break;
      case ItemKind::kEndLoop:
        result[i].push_back(loops.back() + 1);
        result[i].push_back(i + 1);
        result[loops.back()].push_back(i + 1);
        for (const std::uint32_t from : leaving.back()) result[from].push_back(i + 1);
        for (const std::uint32_t from : again.back()) result[from].push_back(i);
        loops.pop_back();
        leaving.pop_back();
        again.pop_back();
        break;
      case ItemKind::kBreak:
        leaving.back().push_back(i);
        if (items[i].is_conditional) result[i].push_back(i + 1);
        break;
      case ItemKind::kContinue: again.back().push_back(i); break;
    }
  }
  return result;
}

namespace {

std::string place_text(const LirPlace& place, const std::array<Lane, 4>& lanes, unsigned width) {
  constexpr std::string_view kNames = "xyzw0h1";
  std::string text = place.kind == LirPlace::Kind::kRegister   ? fmt::format("t{}", place.index)
                     : place.kind == LirPlace::Kind::kConstant ? fmt::format("c{}", place.index)
                                                               : "";
  text += ".";
  for (unsigned i = 0; i < width; ++i) text += kNames[static_cast<std::size_t>(lanes[i])];
  return text;
}

}  // namespace

std::string print(const LirProgram& program) {
  constexpr std::string_view kOps[] = {"mov", "add", "mul", "mad", "dot",  "min",
                                       "max", "cmp", "frc", "ex2", "ln2",  "rcp",
                                       "rsq", "sin", "cos", "tex", "cell", "input"};
  constexpr std::string_view kKinds[] = {"",     "if",      "else",  "endif",
                                         "loop", "endloop", "break", "continue"};
  std::string text;
  for (const LirItem& item : program.items) {
    if (item.kind != ItemKind::kOp) {
      text += fmt::format("{}{}\n", kKinds[static_cast<std::size_t>(item.kind)],
                          item.inverted ? " not" : "");
      continue;
    }
    const LirOp& op = item.op;
    text += fmt::format("  {}{} ", op.is_kill ? "kill" : kOps[static_cast<std::size_t>(op.op)],
                        op.saturate ? "_sat" : "");
    if (op.predicate != 0) text += op.predicate > 0 ? "(p) " : "(!p) ";
    if (op.target == Target::kResult) text += "result";
    if (op.target == Target::kPredicate) text += "predicate";
    if (op.target == Target::kRegister || op.target == Target::kOutput) {
      text += fmt::format("{}{}.", op.target == Target::kOutput ? "o" : "t", op.index);
      for (unsigned i = 0; i < op.count; ++i) text += "xyzw"[op.components[i]];
    }
    for (unsigned s = 0; s < op.operand_count(); ++s) {
      const LirOperand& operand = op.operands[s];
      const unsigned width = op.operand_width();
      std::string part = place_text(operand.from, operand.lanes, width);
      if (operand.before == Before::kOneMinus) part = fmt::format("(1-{})", part);
      if (operand.before >= Before::kDifference)
        part = fmt::format("({}{}{})", place_text(operand.second, operand.second_lanes, width),
                           operand.before == Before::kSum ? "+" : "-", part);
      if (operand.absolute) part = fmt::format("|{}|", part);
      text += operand.negate ? " -" : " ";
      text += part;
    }
    text += "\n";
  }
  return text;
}

}  // namespace raddle::cg
