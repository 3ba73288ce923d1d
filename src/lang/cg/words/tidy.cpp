// Small repairs of the operations once registers are joined.
#include <algorithm>

#include "lang/cg/words/lir.h"

namespace raddle::cg {
namespace {

bool is_plain_copy(const LirItem& item) {
  const LirOp& op = item.op;
  return item.kind == ItemKind::kOp && op.op == IrOp::kMov && !op.is_kill &&
         op.target == Target::kRegister && !op.saturate && op.scale == 0 && op.predicate == 0 &&
         op.operands[0].before == Before::kNothing;
}

bool reads(const LirOp& op, std::uint32_t index, unsigned component) {
  bool found = false;
  for_each_read(
      op, [&](std::uint32_t r, unsigned c) { found = found || (r == index && c == component); });
  return found;
}

bool writes(const LirOp& op, std::uint32_t index, unsigned component) {
  if (op.target != Target::kRegister || op.index != index) return false;
  return std::find(op.components.begin(), op.components.begin() + op.count, component) !=
         op.components.begin() + op.count;
}

// Whether `later` may be done before `between`.
bool may_pass(const LirOp& between, const LirOp& later) {
  for (unsigned i = 0; i < later.count; ++i) {
    if (reads(between, later.index, later.components[i]) ||
        writes(between, later.index, later.components[i]))
      return false;
  }
  bool fits = true;
  for_each_read(later, [&](std::uint32_t r, unsigned c) { fits = fits && !writes(between, r, c); });
  return fits;
}

// Both copies as one, if they read at most one register between them.
bool join(LirOp& into, const LirOp& from) {
  LirOperand& a = into.operands[0];
  const LirOperand& b = from.operands[0];
  if (into.index != from.index || into.count + from.count > 4) return false;
  if (a.negate != b.negate || a.absolute != b.absolute) return false;
  const bool a_free = a.from.kind == LirPlace::Kind::kNone;
  const bool b_free = b.from.kind == LirPlace::Kind::kNone;
  if (!a_free && !b_free && a.from != b.from) return false;
  if (a_free) a.from = b.from;
  for (unsigned i = 0; i < from.count; ++i) {
    a.lanes[into.count] = b.lanes[i];
    into.components[into.count++] = from.components[i];
  }
  return true;
}

}  // namespace

void join_copies(LirProgram& program) {
  std::vector<LirItem>& items = program.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_plain_copy(items[i])) continue;
    for (std::size_t j = i + 1; j < items.size() && items[j].kind == ItemKind::kOp; ++j) {
      if (!is_plain_copy(items[j])) continue;
      bool fits = true;
      for (std::size_t k = i; k < j && fits; ++k) fits = may_pass(items[k].op, items[j].op);
      if (!fits || !join(items[i].op, items[j].op)) continue;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(j));
      --j;
    }
  }
}

void tidy_branches(LirProgram& program) {
  std::vector<LirItem>& items = program.items;
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    const bool has_empty_then =
        items[i].kind == ItemKind::kIf && items[i + 1].kind == ItemKind::kElse;
    const bool has_empty_else =
        items[i].kind == ItemKind::kElse && items[i + 1].kind == ItemKind::kEndIf;
    if (has_empty_then) {
      items[i].inverted = !items[i].inverted;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else if (has_empty_else) {
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (std::size_t i = 0; i + 2 < items.size(); ++i) {
    if (items[i].kind != ItemKind::kIf || items[i + 1].kind != ItemKind::kBreak ||
        items[i + 1].is_conditional || items[i + 2].kind != ItemKind::kEndIf)
      continue;
    items[i + 1].is_conditional = true;
    items[i + 1].inverted = items[i].inverted;
    items[i] = items[i + 1];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                items.begin() + static_cast<std::ptrdiff_t>(i) + 3);
  }
}

}  // namespace raddle::cg
