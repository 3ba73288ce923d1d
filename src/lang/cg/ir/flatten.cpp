#include <algorithm>

#include "lang/cg/ir/passes.h"

namespace raddle::cg {
namespace {

// Operations on both sides together that are worth less than jumping.
constexpr std::size_t kMaxOperations = 8;
// Selections that are worth more than a predicate, which takes one word for all.
constexpr std::size_t kMaxSelections = 1;

class Flattener {
 public:
  explicit Flattener(IrProgram& program) : program_(program) {}

  void visit(Region& region) {
    Region result;
    for (IrNode& node : region) {
      visit(node.then);
      visit(node.otherwise);
      if (node.kind != NodeKind::kIf || !is_simple(node)) {
        result.push_back(std::move(node));
        continue;
      }
      if (set_count(node) > kMaxSelections) {
        node.is_predicated = true;
        result.push_back(std::move(node));
        continue;
      }
      const IrNode* then_set = take_values(node.then, result);
      const IrNode* else_set = take_values(node.otherwise, result);
      select(node, then_set, else_set, result);
    }
    region = std::move(result);
  }

 private:
  bool is_simple(const IrNode& node) const {
    std::size_t operations = 0;
    for (const Region* side : {&node.then, &node.otherwise}) {
      for (const IrNode& inner : *side) {
        if (inner.kind == NodeKind::kValue) {
          if (program_.values[inner.value].op == IrOp::kTex) return false;
          ++operations;
        } else if (inner.kind != NodeKind::kSet) {
          return false;
        }
      }
    }
    return operations <= kMaxOperations;
  }

  static std::size_t set_count(const IrNode& node) {
    std::size_t most = 0;
    for (const Region* side : {&node.then, &node.otherwise}) {
      for (const IrNode& inner : *side) most = std::max(most, inner.sets.size());
    }
    return most;
  }

  static const IrNode* take_values(Region& side, Region& into) {
    const IrNode* set = nullptr;
    for (IrNode& inner : side) {
      if (inner.kind == NodeKind::kValue)
        into.push_back(std::move(inner));
      else
        set = &inner;
    }
    return set;
  }

  static Ref find(const IrNode* node, ValueId cell, unsigned channel) {
    if (node == nullptr) return {};
    for (const CellSet& set : node->sets) {
      if (set.cell == cell) return set.refs[channel];
    }
    return {};
  }

  // Each cell that the branch sets becomes a selection. A side that says nothing of a component
  // leaves it unused.
  void select(const IrNode& node, const IrNode* then_set, const IrNode* else_set, Region& into) {
    const IrNode* either = then_set != nullptr ? then_set : else_set;
    if (either == nullptr) return;
    for (const CellSet& set : either->sets) {
      IrValue& cell = program_.values[set.cell];
      cell.op = IrOp::kCmp;
      cell.sources = {};
      for (unsigned i = 0; i < cell.count; ++i) {
        const Ref then = find(then_set, set.cell, i);
        const Ref otherwise = find(else_set, set.cell, i);
        const bool known = then.kind != Ref::Kind::kNone || otherwise.kind != Ref::Kind::kNone;
        const Ref some =
            known ? (then.kind != Ref::Kind::kNone ? then : otherwise) : Ref::literal(0);
        cell.sources[0].refs[i] = otherwise.kind != Ref::Kind::kNone ? otherwise : some;
        cell.sources[1].refs[i] = then.kind != Ref::Kind::kNone ? then : some;
        cell.sources[2].refs[i] = node.condition;
      }
      cell.sources[2].negate = true;
      cell.place = node.place;
      IrNode made;
      made.value = set.cell;
      made.place = node.place;
      into.push_back(std::move(made));
    }
  }

  IrProgram& program_;
};

}  // namespace

void flatten_branches(IrProgram& program) { Flattener(program).visit(program.body); }

}  // namespace raddle::cg
