#include <algorithm>
#include <map>
#include <optional>

#include "lang/cg/words/lir.h"
#include "lang/cg/words/lir_coordinates.h"
#include "lang/cg/words/lir_operands.h"

namespace raddle::cg {
namespace {

class Lowering : OperandLowering {
 public:
  using OperandLowering::OperandLowering;

  LirProgram run() {
    find_live();
    for (const IrNode& node : program_.body) {
      if (node.kind == NodeKind::kOutput) plan_output(node);
    }
    lower(program_.body);
    result_.constants = pool_.values();
    return std::move(result_);
  }

 private:
  void lower(const Region& region) {
    if (options_.level > 0) plan_coordinates(program_, region, coordinates_);
    for (const IrNode& node : region) {
      switch (node.kind) {
        case NodeKind::kValue: lower_value(node); break;
        case NodeKind::kIf: lower_if(node); break;
        case NodeKind::kLoop:
          push_control(ItemKind::kLoop, node.place, false, node.count);
          lower(node.then);
          push_control(ItemKind::kEndLoop, node.place);
          break;
        case NodeKind::kBreak: push_control(ItemKind::kBreak, node.place); break;
        case NodeKind::kContinue: push_control(ItemKind::kContinue, node.place); break;
        case NodeKind::kSet: lower_set(node); break;
        case NodeKind::kOutput: lower_output(node); break;
        case NodeKind::kKill: lower_kill(node); break;
      }
    }
  }

  void lower_value(const IrNode& node) {
    const IrValue& value = program_.values[node.value];
    if (value.op == IrOp::kInput) {
      result_.registers[placed(node.value).place].is_input = true;
      return;
    }
    Uses& uses = uses_[node.value];
    if (uses.live == 0) return;  // only a condition, which looks at what it compares
    LirOp op;
    op.op = value.op;
    op.width = value.width;
    op.sampler = value.sampler;
    op.level = value.level;
    op.scaled = value.scaled;
    op.scale = value.scale;
    op.saturate = value.saturate;
    std::array<unsigned, 4> from{};  // the value's component of each lane
    unsigned lanes = 0;
    if (uses.output != nullptr) {
      op.target = Target::kOutput;
      op.index = uses.output->target;
      for (unsigned i = 0; i < 4; ++i) {
        const Ref& ref = uses.output->refs[i];
        if (!ref.is_value() || ref.index != node.value) continue;
        from[lanes] = ref.channel;
        op.components[lanes++] = static_cast<std::uint8_t>(i);
      }
    } else {
      op.index = placed(node.value).place;
      for (unsigned i = 0; i < value.count; ++i) {
        if (uses.component[i] == kDead) continue;
        from[lanes] = i;
        op.components[lanes++] = static_cast<std::uint8_t>(uses.component[i]);
      }
    }
    op.count = static_cast<std::uint8_t>(lanes);
    const bool whole = value.op == IrOp::kDot || value.op == IrOp::kTex;
    for (unsigned s = 0; s < value.source_count(); ++s) {
      Source source = value.sources[s];
      if (!whole) {
        for (unsigned i = 0; i < lanes; ++i) {
          source.refs[i] = value.sources[s].refs[from[i]];
          source.second[i] = value.sources[s].second[from[i]];
        }
      }
      const auto planned = coordinates_.find(node.value);
      op.operands[s] = planned != coordinates_.end()
                           ? gathered(planned->second, source.refs, 2, value.place)
                           : operand(source, whole ? value.source_width() : lanes, value.place);
    }
    if (value.op == IrOp::kTex) {
      for (unsigned i = 0; i < lanes; ++i) op.texel[i] = static_cast<std::uint8_t>(from[i]);
      op.operands[0] = coordinates(op.operands[0], value.width, value.place);
    }
    push(op, value.place);
  }

  // TEX reads its coordinates from a temporary.
  LirOperand coordinates(const LirOperand& given, unsigned width, Place place) {
    const bool direct = given.from.kind == LirPlace::Kind::kRegister && !given.negate &&
                        std::all_of(given.lanes.begin(), given.lanes.begin() + width, is_component);
    if (direct) return given;
    LirOp copy;
    copy.count = static_cast<std::uint8_t>(width);
    copy.index = new_register(width);
    copy.components = {0, 1, 2, 0};
    copy.operands[0] = given;
    push(copy, place);
    LirOperand result;
    result.from = {LirPlace::Kind::kRegister, copy.index};
    result.lanes = {Lane::k0, Lane::k1, width == 3 ? Lane::k2 : Lane::kZero, Lane::kZero};
    return result;
  }

  // Tests the condition; returns whether the branch is for those where the test fails.
  bool lower_condition(const IrNode& node, Target target) {
    LirOp test;
    test.target = target;
    test.count = 1;
    bool inverted = false;
    if (const IrValue* compared = test_behind(node.condition)) {
      Source source = compared->sources[2];
      source.refs[0] = compared->sources[2].refs[node.condition.channel];
      source.second[0] = compared->sources[2].second[node.condition.channel];
      test.operands[0] = operand(source, 1, node.place);
      inverted = !compared->sources[0].refs[node.condition.channel].is_literal(1);
    } else {  // -x >= 0 holds for false
      Source source;
      source.refs[0] = node.condition;
      source.negate = true;
      test.operands[0] = operand(source, 1, node.place);
      inverted = true;
    }
    push(test, node.place);
    return inverted;
  }

  // Both sides are run through. The cells become what the other side says, and then, where the
  // predicate holds, what this side says.
  void lower_predicated(const IrNode& node) {
    const bool inverted = lower_condition(node, Target::kPredicate);
    const IrNode* then_set = nullptr;
    for (const Region* side : {&node.otherwise, &node.then}) {
      for (const IrNode& inner : *side) {
        if (inner.kind == NodeKind::kValue)
          lower_value(inner);
        else if (side == &node.then)
          then_set = &inner;
        else
          lower_set(inner);
      }
    }
    if (then_set == nullptr) return;
    const std::size_t first = result_.items.size();
    lower_set(*then_set);
    for (std::size_t i = first; i < result_.items.size(); ++i)
      result_.items[i].op.predicate = static_cast<std::int8_t>(inverted ? -1 : 1);
  }

  static bool is_run_through(const IrNode& node) {
    for (const Region* side : {&node.then, &node.otherwise}) {
      for (const IrNode& inner : *side) {
        if (inner.kind != NodeKind::kValue && inner.kind != NodeKind::kSet) return false;
      }
    }
    return node.is_predicated;
  }

  void lower_if(const IrNode& node) {
    if (is_run_through(node)) return lower_predicated(node);
    const bool inverted = lower_condition(node, Target::kResult);
    const auto is_break = [](const Region& region) {
      return region.size() == 1 && region[0].kind == NodeKind::kBreak;
    };
    if (options_.level > 0 && (is_break(node.then) || is_break(node.otherwise))) {
      const bool then_breaks = is_break(node.then);
      push_control(ItemKind::kBreak, node.place, inverted != !then_breaks);
      result_.items.back().is_conditional = true;
      lower(then_breaks ? node.otherwise : node.then);
      return;
    }
    if (node.then.empty()) {
      push_control(ItemKind::kIf, node.place, !inverted);
      lower(node.otherwise);
    } else {
      push_control(ItemKind::kIf, node.place, inverted);
      lower(node.then);
      if (!node.otherwise.empty()) {
        push_control(ItemKind::kElse, node.place);
        lower(node.otherwise);
      }
    }
    push_control(ItemKind::kEndIf, node.place);
  }

  // All cells at once: what one set reads and another writes is put aside first.
  void lower_set(const IrNode& node) {
    const auto is_written = [&](const Ref& ref) {
      return std::ranges::any_of(node.sets, [&](const CellSet& set) {
        return ref.is_value() && set.cell == ref.index &&
               set.refs[ref.channel].kind != Ref::Kind::kNone;
      });
    };
    struct Copy {
      std::uint32_t target;
      Refs refs;
    };
    std::vector<Copy> copies;
    for (const CellSet& set : node.sets) {
      const Uses& uses = placed(set.cell);
      Copy copy{uses.place, Refs(result_.registers[uses.place].count)};
      for (unsigned i = 0; i < program_.values[set.cell].count; ++i) {
        if (uses.component[i] != kDead)
          copy.refs[static_cast<std::size_t>(uses.component[i])] = set.refs[i];
      }
      copies.push_back(std::move(copy));
    }
    // Saved copies stand for values that the IR does not have: they are read as plain registers.
    std::map<Ref, std::pair<std::uint32_t, unsigned>> place_of_saved;
    for (const Copy& copy : copies) {
      for (const Ref& ref : copy.refs) {
        if (!is_written(ref) || place_of_saved.contains(ref)) continue;
        LirOp save;
        save.count = 1;
        save.index = new_register(1);
        save.operands[0] = plain({ref}, 1, node.place);
        push(save, node.place);
        place_of_saved[ref] = {save.index, 0};
      }
    }
    for (const Copy& copy : copies) {
      Refs direct = copy.refs;
      for (std::size_t i = 0; i < copy.refs.size(); ++i) {
        const auto found = place_of_saved.find(copy.refs[i]);
        if (found == place_of_saved.end()) continue;
        direct[i] = {};
        LirOp restore;
        restore.count = 1;
        restore.index = copy.target;
        restore.components[0] = static_cast<std::uint8_t>(i);
        restore.operands[0].from = {LirPlace::Kind::kRegister, found->second.first};
        restore.operands[0].lanes[0] = Lane::k0;
        push(restore, node.place);
      }
      copy_into(copy.target, direct, node.place);
    }
    gathered_.clear();
  }

  void lower_output(const IrNode& node) {
    Refs rest(node.refs.begin(), node.refs.end());
    for (Ref& ref : rest) {
      if (ref.is_value() && uses_[ref.index].output == &node) ref = {};
    }
    std::vector<bool> done(4);
    for (unsigned i = 0; i < 4; ++i) {
      if (done[i] || rest[i].kind == Ref::Kind::kNone) continue;
      // Lanes of one register, together with those that need none.
      LirOp copy;
      copy.target = Target::kOutput;
      copy.index = node.target;
      copy.count = 0;
      std::array<Ref, 4> taken{};
      std::optional<LirPlace> from;
      const bool free_only = std::all_of(rest.begin() + i, rest.end(), [](const Ref& ref) {
        return ref.kind == Ref::Kind::kNone || ref.is_literal();
      });
      for (unsigned k = i; k < 4; ++k) {
        if (done[k] || rest[k].kind == Ref::Kind::kNone) continue;
        if (!free_lane(rest[k]) && !(free_only && rest[k].is_literal())) {
          if (rest[k].is_literal()) {
            if (from || k != i) continue;
          } else {
            const LirPlace place = place_of(rest[k]);
            if (from && *from != place) continue;
            from = place;
          }
        }
        done[k] = true;
        taken[copy.count] = rest[k];
        copy.components[copy.count++] = static_cast<std::uint8_t>(k);
      }
      copy.operands[0] = plain(taken, copy.count, node.place);
      push(copy, node.place);
    }
  }

  void lower_kill(const IrNode& node) {
    LirOp copy;
    copy.count = 1;
    copy.index = new_register(1);
    copy.operands[0] = plain({Ref::literal(-1)}, 1, node.place);
    push(copy, node.place);
    LirOp kill;
    kill.is_kill = true;
    kill.target = Target::kNothing;
    kill.count = 0;
    kill.operands[0].from = {LirPlace::Kind::kRegister, copy.index};
    kill.operands[0].lanes[0] = Lane::k0;
    push(kill, node.place);
  }

  std::map<ValueId, Refs> coordinates_;  // of TEX: what the register of its coordinates holds
};

}  // namespace

LirProgram lower_to_lir(const IrProgram& program, std::uint16_t first_literal,
                        const Options& options, const std::string& file_name) {
  return Lowering(program, first_literal, options, file_name).run();
}

}  // namespace raddle::cg
