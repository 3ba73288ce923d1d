// Which values are read, and by whom.
#include <algorithm>

#include "lang/cg/words/lir_operands.h"

namespace raddle::cg {

OperandLowering::OperandLowering(const IrProgram& program, std::uint16_t first_literal,
                                 const Options& options, const std::string& file_name)
    : program_(program), options_(options), pool_(first_literal, file_name) {}

void OperandLowering::use(const Ref& ref) {
  if (ref.is_value())
    uses_[ref.index].live = static_cast<std::uint8_t>(uses_[ref.index].live | 1U << ref.channel);
}

void OperandLowering::use_all(const std::array<Ref, 4>& refs, unsigned width) {
  std::vector<ValueId> seen;
  for (unsigned i = 0; i < width; ++i) {
    use(refs[i]);
    if (!refs[i].is_value() || std::ranges::find(seen, refs[i].index) != seen.end()) continue;
    seen.push_back(refs[i].index);
    ++uses_[refs[i].index].count;
  }
}

void OperandLowering::find_live() {
  uses_.resize(program_.values.size());
  for_each_node(program_.body, [&](const IrNode& node) {
    if (node.kind == NodeKind::kValue) {
      const IrValue& value = program_.values[node.value];
      for (unsigned s = 0; s < value.source_count(); ++s) {
        use_all(value.sources[s].refs, value.source_width());
        if (value.sources[s].before >= Before::kDifference)
          use_all(value.sources[s].second, value.source_width());
      }
    }
    if (node.kind == NodeKind::kOutput) use_all(node.refs, 4);
    for (const CellSet& set : node.sets) use_all(set.refs, 4);
    if (node.kind == NodeKind::kIf && node.condition.is_value()) {
      Uses& uses = uses_[node.condition.index];
      if (test_behind(node.condition) == nullptr) use(node.condition);
      ++uses.count;
    }
  });
  for (const IrNode& node : program_.body) {
    if (node.kind == NodeKind::kValue) uses_[node.value].is_top = true;
  }
}

const IrValue* OperandLowering::test_behind(const Ref& condition) const {
  if (options_.level == 0 || !condition.is_value()) return nullptr;
  const IrValue& value = program_.values[condition.index];
  if (value.op != IrOp::kCmp || value.saturate || value.scale != 0) return nullptr;
  const Source& a = value.sources[0];
  const Source& b = value.sources[1];
  if (a.negate || a.absolute || b.negate || b.absolute) return nullptr;
  const Ref& one = a.refs[condition.channel];
  const Ref& other = b.refs[condition.channel];
  const bool straight = one.is_literal(1) && other.is_literal(0);
  const bool turned = one.is_literal(0) && other.is_literal(1);
  return straight || turned ? &value : nullptr;
}

void OperandLowering::plan_output(const IrNode& node) {
  if (options_.level == 0) return;
  for (const Ref& ref : node.refs) {
    if (!ref.is_value()) continue;
    Uses& uses = uses_[ref.index];
    const IrOp op = program_.values[ref.index].op;
    if (uses.count == 1 && uses.is_top && op < IrOp::kTex) uses.output = &node;
  }
}

}  // namespace raddle::cg
