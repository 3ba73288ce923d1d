#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "lang/cg/lir.h"
#include "lang/cg/literal_pool.h"

namespace raddle::cg {
namespace {

constexpr std::int8_t kDead = -1;

class Lowering {
 public:
  Lowering(const IrProgram& program, std::uint16_t first_literal, const Options& options,
           const std::string& file_name)
      : program_(program), options_(options), pool_(first_literal, file_name) {}

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
  struct Uses {
    std::uint8_t live = 0;    // components
    unsigned count = 0;       // operands and others that mention it
    unsigned conditions = 0;  // of these: conditions that look at what it compares
    std::array<std::int8_t, 4> component{kDead, kDead, kDead, kDead};
    std::uint32_t place = 0;  // register
    bool has_place = false;
    const IrNode* output = nullptr;  // writes straight to an output
    bool is_top = false;
  };

  // --- what is read, and by whom ---
  void use(const Ref& ref) {
    if (ref.is_value())
      uses_[ref.index].live = static_cast<std::uint8_t>(uses_[ref.index].live | 1U << ref.channel);
  }

  void use_all(const std::array<Ref, 4>& refs, unsigned width) {
    std::vector<ValueId> seen;
    for (unsigned i = 0; i < width; ++i) {
      use(refs[i]);
      if (!refs[i].is_value() || std::ranges::find(seen, refs[i].index) != seen.end()) continue;
      seen.push_back(refs[i].index);
      ++uses_[refs[i].index].count;
    }
  }

  void find_live() {
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
        if (test_behind(node.condition) != nullptr)
          ++uses.conditions;
        else
          use(node.condition);
        ++uses.count;
      }
    });
    for (const IrNode& node : program_.body) {
      if (node.kind == NodeKind::kValue) uses_[node.value].is_top = true;
    }
  }

  // The comparison whose 0 or 1 a condition is, where it can be tested itself.
  const IrValue* test_behind(const Ref& condition) const {
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

  // A value that only goes to one output is computed there.
  void plan_output(const IrNode& node) {
    if (options_.level == 0) return;
    for (const Ref& ref : node.refs) {
      if (!ref.is_value()) continue;
      Uses& uses = uses_[ref.index];
      const IrOp op = program_.values[ref.index].op;
      if (uses.count == 1 && uses.is_top && op < IrOp::kTex) uses.output = &node;
    }
  }

  // --- registers ---
  std::uint32_t new_register(unsigned count) {
    result_.registers.push_back(
        {static_cast<std::uint8_t>(count), false, false, Bank::kAny, kNoComponent});
    return static_cast<std::uint32_t>(result_.registers.size() - 1);
  }

  Uses& placed(ValueId id) {
    Uses& uses = uses_[id];
    if (uses.has_place) return uses;
    unsigned count = 0;
    const bool whole = program_.values[id].op == IrOp::kInput;
    for (unsigned i = 0; i < program_.values[id].count; ++i) {
      if (whole || (uses.live >> i & 1) != 0) uses.component[i] = static_cast<std::int8_t>(count++);
    }
    uses.place = new_register(std::max(count, 1U));
    uses.has_place = true;
    return uses;
  }

  void push(LirOp op, Place place) {
    LirItem item;
    op.place = place;
    item.place = place;
    item.op = std::move(op);
    result_.items.push_back(std::move(item));
  }

  void push_control(ItemKind kind, Place place, bool inverted = false, std::uint16_t count = 0) {
    LirItem item;
    item.kind = kind;
    item.place = place;
    item.inverted = inverted;
    item.count = count;
    result_.items.push_back(std::move(item));
    gathered_.clear();
  }

  // --- operands ---
  static std::optional<Lane> free_lane(const Ref& ref) {
    if (!ref.is_literal()) return std::nullopt;
    if (ref.is_literal(0)) return Lane::kZero;
    if (ref.is_literal(0.5F)) return Lane::kHalf;
    if (ref.is_literal(1)) return Lane::kOne;
    return std::nullopt;
  }

  LirPlace place_of(const Ref& ref) {
    if (ref.kind == Ref::Kind::kUniform) return {LirPlace::Kind::kConstant, ref.index};
    return {LirPlace::Kind::kRegister, placed(ref.index).place};
  }
  Lane lane_of(const Ref& ref) {
    if (ref.kind == Ref::Kind::kUniform) return static_cast<Lane>(ref.channel);
    return static_cast<Lane>(placed(ref.index).component[ref.channel]);
  }

  // Literals alone: by their absolute values where all have the same sign and need no register.
  LirOperand literals(const std::array<Ref, 4>& refs, unsigned width, Place place) {
    LirOperand result;
    bool all_positive = true;
    bool all_negative = true;
    bool all_free = true;
    for (unsigned i = 0; i < width; ++i) {
      const bool is_negative = (refs[i].index >> 31) != 0;
      all_positive = all_positive && !is_negative;
      all_negative = all_negative && is_negative;
      Ref size = refs[i];
      size.index &= 0x7fffffffU;
      const auto lane = free_lane(size);
      all_free = all_free && lane.has_value();
      result.lanes[i] = lane.value_or(Lane::kZero);
    }
    if (all_free && (all_positive || all_negative)) {
      result.negate = all_negative;
      return result;
    }
    std::array<float, 4> numbers{};
    for (unsigned i = 0; i < width; ++i) numbers[i] = refs[i].number();
    return pool_.operand(std::span(numbers).first(width), place);
  }

  LirOperand plain(const std::array<Ref, 4>& refs, unsigned width, Place place) {
    const bool all_literals = std::all_of(refs.begin(), refs.begin() + width,
                                          [](const Ref& ref) { return ref.is_literal(); });
    if (all_literals) return literals(refs, width, place);
    LirOperand result;
    for (unsigned i = 0; i < width; ++i) {
      if (const auto lane = free_lane(refs[i])) {
        result.lanes[i] = *lane;
        continue;
      }
      if (refs[i].is_literal()) return gather(refs, width, place);
      const LirPlace from = place_of(refs[i]);
      if (result.from.kind != LirPlace::Kind::kNone && result.from != from)
        return gather(refs, width, place);
      result.from = from;
      result.lanes[i] = lane_of(refs[i]);
    }
    return result;
  }

  // Copies numbers of several registers into one.
  LirOperand gather(const std::array<Ref, 4>& refs, unsigned width, Place place) {
    Refs distinct;
    for (unsigned i = 0; i < width; ++i) {
      if (!free_lane(refs[i]) && std::ranges::find(distinct, refs[i]) == distinct.end())
        distinct.push_back(refs[i]);
    }
    return gathered(distinct, refs, width, place);
  }

  // Reads refs from a register that holds `distinct`.
  LirOperand gathered(const Refs& distinct, const std::array<Ref, 4>& refs, unsigned width,
                      Place place) {
    LirOperand result;
    for (unsigned i = 0; i < width; ++i) {
      const auto at = std::ranges::find(distinct, refs[i]);
      result.lanes[i] = at != distinct.end() ? static_cast<Lane>(at - distinct.begin())
                                             : free_lane(refs[i]).value_or(Lane::kZero);
    }
    auto known = gathered_.find(distinct);
    if (known == gathered_.end()) {
      const std::uint32_t made = new_register(static_cast<unsigned>(distinct.size()));
      copy_into(made, distinct, place);
      known = gathered_.emplace(distinct, made).first;
    }
    result.from = {LirPlace::Kind::kRegister, known->second};
    return result;
  }

  // Component n of the register becomes refs[n]; one copy for each register that is read.
  void copy_into(std::uint32_t target, const Refs& refs, Place place) {
    std::vector<bool> done(refs.size());
    for (std::size_t i = 0; i < refs.size(); ++i) {
      if (done[i] || refs[i].kind == Ref::Kind::kNone) continue;
      LirOp copy;
      copy.index = target;
      copy.count = 0;
      std::array<Ref, 4> taken{};
      for (std::size_t k = i; k < refs.size(); ++k) {
        const bool same = refs[k].kind == refs[i].kind &&
                          (refs[k].is_literal() || refs[k].index == refs[i].index);
        if (done[k] || !same) continue;
        done[k] = true;
        taken[copy.count] = refs[k];
        copy.components[copy.count++] = static_cast<std::uint8_t>(k);
      }
      copy.operands[0] = plain(taken, copy.count, place);
      push(copy, place);
    }
  }

  LirOperand operand(const Source& source, unsigned width, Place place) {
    LirOperand result;
    if (source.before >= Before::kDifference) {
      const LirOperand first = as_register(source.refs, width, place);
      const LirOperand second = as_register(source.second, width, place);
      result = first;
      result.second = second.from;
      result.second_lanes = second.lanes;
      result.before = source.before;
    } else if (source.before == Before::kOneMinus) {
      result = as_register(source.refs, width, place);
      result.before = source.before;
    } else {
      result = plain(source.refs, width, place);
    }
    if (source.absolute) result.negate = false;
    result.absolute = source.absolute;
    result.negate = result.negate != source.negate;
    return result;
  }

  // All lanes from a register, also 0, ½ and 1, and without a sign.
  LirOperand as_register(const std::array<Ref, 4>& refs, unsigned width, Place place) {
    bool all_literals = true;
    bool any_literal = false;
    for (unsigned i = 0; i < width; ++i) {
      all_literals = all_literals && refs[i].is_literal();
      any_literal = any_literal || refs[i].is_literal();
    }
    if (all_literals) {
      std::array<float, 4> numbers{};
      for (unsigned i = 0; i < width; ++i) numbers[i] = refs[i].number();
      return pool_.operand(std::span(numbers).first(width), place);
    }
    if (!any_literal) return plain(refs, width, place);
    LirOp copy;  // mixed: everything into a register of its own
    copy.count = static_cast<std::uint8_t>(width);
    const std::uint32_t made = new_register(width);
    Refs all(refs.begin(), refs.begin() + width);
    copy_into(made, all, place);
    LirOperand result;
    result.from = {LirPlace::Kind::kRegister, made};
    for (unsigned i = 0; i < width; ++i) result.lanes[i] = static_cast<Lane>(i);
    return result;
  }

  // --- coordinates ---
  struct Cluster {
    Refs refs;
    std::size_t first_use;
    std::vector<ValueId> texels;
  };

  // Strictly: what is new in the cluster comes from a value that is in it already. Else what is in
  // both must be a number that changes, which would have to be copied each time.
  bool fits_cluster(const Cluster& cluster, const Ref& a, const Ref& b,
                    const std::map<ValueId, std::size_t>& defined, bool strictly) const {
    std::size_t size = cluster.refs.size();
    bool shares = false;
    bool fits = true;
    for (const Ref& ref : {a, b}) {
      const auto at = defined.find(ref.index);
      fits = fits && (at == defined.end() || at->second < cluster.first_use);
      if (std::ranges::find(cluster.refs, ref) != cluster.refs.end()) {
        const bool changes = at != defined.end() || program_.values[ref.index].op == IrOp::kCell;
        shares = shares || strictly || changes;
        continue;
      }
      ++size;
      if (strictly) {
        fits = fits && std::ranges::any_of(cluster.refs, [&](const Ref& known) {
                 return known.index == ref.index;
               });
      }
    }
    return fits && shares && size <= 4;
  }

  // TEX reads both coordinates from one register. Coordinates that share a number are gathered into
  // the same register, up to four numbers, as soon as all of them are there.
  void plan_coordinates(const Region& region) {
    std::vector<Cluster> clusters;
    std::map<ValueId, std::size_t> defined;
    for (std::size_t n = 0; n < region.size(); ++n) {
      if (region[n].kind != NodeKind::kValue) {
        clusters.clear();  // only within a stretch without jumps
        continue;
      }
      const ValueId id = region[n].value;
      defined[id] = n;
      const IrValue& value = program_.values[id];
      const Ref a = value.sources[0].refs[0];
      const Ref b = value.sources[0].refs[1];
      const bool gathers =
          value.op == IrOp::kTex && a.is_value() && b.is_value() && a.index != b.index;
      if (!gathers) continue;
      Cluster* joined = nullptr;
      for (const bool strictly : {true, false}) {
        for (Cluster& cluster : clusters) {
          if (joined != nullptr || !fits_cluster(cluster, a, b, defined, strictly)) continue;
          joined = &cluster;
          for (const Ref& ref : {a, b}) {
            if (std::ranges::find(cluster.refs, ref) == cluster.refs.end())
              cluster.refs.push_back(ref);
          }
        }
      }
      if (joined == nullptr) joined = &clusters.emplace_back(Cluster{{a, b}, n, {}});
      joined->texels.push_back(id);
      for (const ValueId texel : joined->texels) coordinates_[texel] = joined->refs;
    }
  }

  // --- nodes ---
  void lower(const Region& region) {
    if (options_.level > 0) plan_coordinates(region);
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
      op.operands[0] = coordinates(op.operands[0], value.place);
    }
    push(op, value.place);
  }

  // TEX reads its coordinates from a temporary.
  LirOperand coordinates(const LirOperand& given, Place place) {
    const bool direct = given.from.kind == LirPlace::Kind::kRegister && !given.negate &&
                        is_component(given.lanes[0]) && is_component(given.lanes[1]);
    if (direct) return given;
    LirOp copy;
    copy.count = 2;
    copy.index = new_register(2);
    copy.components = {0, 1, 0, 0};
    copy.operands[0] = given;
    push(copy, place);
    LirOperand result;
    result.from = {LirPlace::Kind::kRegister, copy.index};
    result.lanes = {Lane::k0, Lane::k1, Lane::kZero, Lane::kZero};
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

  const IrProgram& program_;
  const Options& options_;
  LiteralPool pool_;
  LirProgram result_;
  std::vector<Uses> uses_;
  std::map<Refs, std::uint32_t> gathered_;
  std::map<ValueId, Refs> coordinates_;  // of TEX: what the register of its coordinates holds
};

}  // namespace

LirProgram lower_to_lir(const IrProgram& program, std::uint16_t first_literal,
                        const Options& options, const std::string& file_name) {
  return Lowering(program, first_literal, options, file_name).run();
}

}  // namespace raddle::cg
