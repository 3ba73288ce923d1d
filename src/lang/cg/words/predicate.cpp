// A value that is computed only to be copied under a predicate is computed under the predicate.
#include <algorithm>

#include "lang/cg/words/lir.h"

namespace raddle::cg {
namespace {

bool is_predicated_copy(const LirItem& item) {
  const LirOp& op = item.op;
  return item.kind == ItemKind::kOp && op.op == IrOp::kMov && !op.is_kill && op.predicate != 0 &&
         op.target == Target::kRegister && !op.saturate && op.scale == 0 &&
         op.operands[0].from.kind == LirPlace::Kind::kRegister && !op.operands[0].negate &&
         !op.operands[0].absolute && op.operands[0].before == Before::kNothing;
}

struct Mentions {
  std::size_t reads = 0, writes = 0;
};

Mentions mentions_of(const LirProgram& program, std::uint32_t index) {
  Mentions found;
  for (const LirItem& item : program.items) {
    if (item.kind != ItemKind::kOp) continue;
    bool reads = false;
    for_each_read(item.op, [&](std::uint32_t r, unsigned) { reads = reads || r == index; });
    if (reads) ++found.reads;
    if (item.op.target == Target::kRegister && item.op.index == index) ++found.writes;
  }
  return found;
}

bool touches(const LirOp& op, std::uint32_t index) {
  bool found = op.target == Target::kRegister && op.index == index;
  for_each_read(op, [&](std::uint32_t r, unsigned) { found = found || r == index; });
  return found;
}

// The operation that makes what the copy copies, if it can be done in the copy's place: nothing
// between them may see the difference.
bool absorb(LirProgram& program, std::size_t copy_at) {
  const LirOp copy = program.items[copy_at].op;
  const std::uint32_t source = copy.operands[0].from.index;
  const Mentions mentions = mentions_of(program, source);
  if (mentions.reads != 1 || mentions.writes != 1) return false;
  for (std::size_t i = copy_at; i-- > 0;) {
    const LirItem& item = program.items[i];
    if (item.kind != ItemKind::kOp) return false;
    const LirOp& op = item.op;
    const bool makes = op.target == Target::kRegister && op.index == source;
    if (!makes) {
      if (op.target == Target::kPredicate || touches(op, copy.index)) return false;
      continue;
    }
    if (op.op == IrOp::kTex || op.predicate != 0 || op.count != copy.count) return false;
    LirOp moved = op;
    for (unsigned k = 0; k < op.count; ++k) {
      const auto lane =
          std::find(copy.operands[0].lanes.begin(), copy.operands[0].lanes.begin() + copy.count,
                    static_cast<Lane>(op.components[k]));
      if (lane == copy.operands[0].lanes.begin() + copy.count) return false;
      moved.components[k] =
          copy.components[static_cast<std::size_t>(lane - copy.operands[0].lanes.begin())];
    }
    moved.index = copy.index;
    moved.predicate = copy.predicate;
    program.items[i].op = moved;
    program.items.erase(program.items.begin() + static_cast<std::ptrdiff_t>(copy_at));
    return true;
  }
  return false;
}

}  // namespace

void predicate_values(LirProgram& program) {
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    if (is_predicated_copy(program.items[i]) && absorb(program, i)) --i;
  }
}

}  // namespace raddle::cg
