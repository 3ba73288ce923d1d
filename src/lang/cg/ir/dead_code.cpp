#include <vector>

#include "base/stop_token.h"
#include "lang/cg/ir/passes.h"

namespace raddle::cg {
namespace {

class DeadCode {
 public:
  explicit DeadCode(IrProgram& program) : program_(program) {}

  // Whether anything was removed.
  bool run() {
    live_.assign(program_.values.size(), 0);
    given_.assign(program_.values.size(), {});
    for_each_node(program_.body, [&](const IrNode& node) {
      for (const CellSet& set : node.sets) given_[set.cell].push_back(set.refs);
    });
    for_each_node(program_.body, [&](const IrNode& node) {
      if (node.kind == NodeKind::kIf) need(node.condition);
      if (node.kind == NodeKind::kOutput) {
        for (const Ref& ref : node.refs) need(ref);
      }
    });
    while (!pending_.empty()) {
      const Ref next = pending_.back();
      pending_.pop_back();
      spread(next);
    }
    removed_ = false;
    prune(program_.body);
    return removed_;
  }

 private:
  void need(const Ref& ref) {
    if (!ref.is_value() || (live_[ref.index] >> ref.channel & 1) != 0) return;
    live_[ref.index] = static_cast<std::uint8_t>(live_[ref.index] | 1U << ref.channel);
    pending_.push_back(ref);
  }

  void spread(const Ref& ref) {
    const IrValue& value = program_.values[ref.index];
    for (const std::array<Ref, 4>& refs : given_[ref.index]) need(refs[ref.channel]);
    const bool whole = value.op == IrOp::kDot || value.op == IrOp::kTex;
    for (unsigned s = 0; s < value.source_count(); ++s) {
      for (unsigned i = 0; i < value.source_width(); ++i) {
        if (!whole && i != ref.channel) continue;
        need(value.sources[s].refs[i]);
        if (value.sources[s].before >= Before::kDifference) need(value.sources[s].second[i]);
      }
    }
  }

  bool is_needed(IrNode& node) {
    switch (node.kind) {
      case NodeKind::kValue: return live_[node.value] != 0;
      case NodeKind::kSet: {
        std::vector<CellSet> kept;
        for (CellSet& set : node.sets) {
          bool any = false;
          for (unsigned i = 0; i < 4; ++i) {
            if ((live_[set.cell] >> i & 1) == 0) set.refs[i] = {};
            any = any || set.refs[i].kind != Ref::Kind::kNone;
          }
          if (any) kept.push_back(set);
        }
        node.sets = std::move(kept);
        return !node.sets.empty();
      }
      case NodeKind::kIf:
        prune(node.then);
        prune(node.otherwise);
        return !node.then.empty() || !node.otherwise.empty();
      case NodeKind::kLoop: prune(node.then); return has_effect(node.then);
      default: return true;
    }
  }

  // Something that is seen outside: a cell that is set, a point that is killed.
  static bool has_effect(const Region& region) {
    bool found = false;
    for_each_node(region, [&](const IrNode& node) {
      found = found || node.kind == NodeKind::kSet || node.kind == NodeKind::kKill;
    });
    return found;
  }

  void prune(Region& region) {
    Region kept;
    for (IrNode& node : region) {
      if (is_needed(node))
        kept.push_back(std::move(node));
      else
        removed_ = true;
    }
    region = std::move(kept);
  }

  IrProgram& program_;
  std::vector<std::uint8_t> live_;
  std::vector<std::vector<std::array<Ref, 4>>> given_;
  std::vector<Ref> pending_;
  bool removed_ = false;
};

}  // namespace

void remove_dead_code(IrProgram& program) {
  DeadCode pass(program);
  while (pass.run()) throw_if_stopped("compiling Cg");
}

}  // namespace raddle::cg
