#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "lang/cg/ir/folding.h"
#include "lang/cg/ir/passes.h"

namespace raddle::cg {
namespace {

using Key = std::tuple<IrOp, std::uint8_t, std::uint8_t, std::uint8_t, TexLevel, bool, std::int8_t,
                       bool, std::array<Source, 3>>;

class Simplifier {
 public:
  Simplifier(IrProgram& program, const Options& options) : program_(program), options_(options) {
    replaced_.resize(program.values.size());
  }

  void run() { visit(program_.body); }

 private:
  Ref resolved(Ref ref) const {
    while (ref.is_value() && replaced_[ref.index][ref.channel].kind != Ref::Kind::kNone)
      ref = replaced_[ref.index][ref.channel];
    return ref;
  }

  void visit(Region& region) {
    std::vector<Key> here;
    Region kept;
    for (IrNode& node : region) {
      if (node.kind == NodeKind::kValue) {
        if (!simplify_value(node.value, here)) continue;
      }
      node.condition = resolved(node.condition);
      for (Ref& ref : node.refs) ref = resolved(ref);
      for (CellSet& set : node.sets) {
        for (unsigned i = 0; i < 4; ++i) {
          set.refs[i] = resolved(set.refs[i]);
          if (set.refs[i] == Ref::value(set.cell, i)) set.refs[i] = {};
        }
      }
      if (node.kind == NodeKind::kIf && node.condition.is_literal()) {
        Region& taken = node.condition.number() != 0 ? node.then : node.otherwise;
        visit(taken);
        const bool ends = !taken.empty() && (taken.back().kind == NodeKind::kBreak ||
                                             taken.back().kind == NodeKind::kContinue);
        for (IrNode& inner : taken) kept.push_back(std::move(inner));
        if (ends) break;
        continue;
      }
      visit(node.then);
      visit(node.otherwise);
      kept.push_back(std::move(node));
    }
    region = std::move(kept);
    for (const Key& key : here) known_.erase(key);  // not seen outside of its region
  }

  void replace(ValueId id, const std::array<Ref, 4>& by) { replaced_[id] = by; }

  // Whether the value is still needed.
  bool simplify_value(ValueId id, std::vector<Key>& here) {
    IrValue& value = program_.values[id];
    for_each_ref(value, [&](Ref& ref) { ref = resolved(ref); });
    if (value.op != IrOp::kTex) {
      for (unsigned s = 0; s < value.source_count(); ++s) take_modifiers(value, value.sources[s]);
    }
    if (value.op == IrOp::kCmp) take_test(value);
    if (value.op == IrOp::kAdd) turn_test(value);
    if (value.op == IrOp::kAdd || value.op == IrOp::kMul) {
      if (value.sources[1] < value.sources[0]) std::swap(value.sources[0], value.sources[1]);
    }
    if (!options_.strict && value.op == IrOp::kMul) join_factors(value);
    const auto folded = options_.strict ? fold(value) : fold_loosely(value);
    if (folded) {
      replace(id, *folded);
      return false;
    }
    if (value.op == IrOp::kInput) return true;
    Key key{value.op,     value.count, value.width,    value.sampler, value.level,
            value.scaled, value.scale, value.saturate, value.sources};
    const auto [same, is_new] = known_.try_emplace(key, id);
    if (is_new) {
      here.push_back(std::move(key));
      return true;
    }
    std::array<Ref, 4> by{};
    for (unsigned i = 0; i < value.count; ++i) by[i] = Ref::value(same->second, i);
    replace(id, by);
    return false;
  }

  const IrValue& definition(const Ref& ref) const { return program_.values[ref.index]; }

  // An operand that reads negated or absolute copies reads what was copied.
  void take_modifiers(const IrValue& value, Source& source) const {
    if (source.before != Before::kNothing) return;
    const unsigned width = value.source_width();
    const IrValue* copy = nullptr;
    for (unsigned i = 0; i < width; ++i) {
      const Ref& ref = source.refs[i];
      if (ref.is_literal()) continue;
      if (!ref.is_value()) return;
      const IrValue& from = definition(ref);
      if (from.op != IrOp::kMov || from.saturate || from.scale != 0) return;
      if (from.sources[0].before != Before::kNothing) return;
      if (copy != nullptr && (copy->sources[0].negate != from.sources[0].negate ||
                              copy->sources[0].absolute != from.sources[0].absolute))
        return;
      copy = &from;
    }
    if (copy == nullptr) return;
    const Source taken = copy->sources[0];
    for (unsigned i = 0; i < width; ++i) {
      Ref& ref = source.refs[i];
      if (!ref.is_literal()) {
        ref = definition(ref).sources[0].refs[ref.channel];
        continue;
      }
      if (taken.absolute && !source.absolute && !(ref.number() >= 0)) {
        // The sign would be lost; restore and leave it.
        return restore(source, i, taken);
      }
      if (!source.absolute && taken.negate) ref = Ref::literal(-ref.number());
    }
    if (source.absolute) return;
    source.absolute = taken.absolute;
    source.negate = source.negate != taken.negate;
  }

  // Only reached with literals of both signs under an absolute copy, which the parser cannot write
  // directly; simplest is to give the components up again.
  void restore(Source& source, unsigned reached, const Source& taken) const {
    for (unsigned i = 0; i < reached; ++i) {
      if (!source.refs[i].is_literal()) continue;
      if (taken.negate) source.refs[i] = Ref::literal(-source.refs[i].number());
    }
  }

  struct Test {
    Source source;  // what is compared with zero
    bool one_if_not_less = false;
  };

  // The comparison after values that are 0 or 1, the same for all components.
  std::optional<Test> test_of(const Source& source, unsigned width) const {
    if (source.before != Before::kNothing || source.absolute) return std::nullopt;
    Test test;
    for (unsigned i = 0; i < width; ++i) {
      const Ref& ref = source.refs[i];
      if (!ref.is_value()) return std::nullopt;
      const IrValue& from = definition(ref);
      if (from.op != IrOp::kCmp || from.saturate || from.scale != 0) return std::nullopt;
      const Source& a = from.sources[0];
      const Source& b = from.sources[1];
      if (a.negate || a.absolute || b.negate || b.absolute) return std::nullopt;
      const bool straight = a.refs[ref.channel].is_literal(1) && b.refs[ref.channel].is_literal(0);
      const bool turned = a.refs[ref.channel].is_literal(0) && b.refs[ref.channel].is_literal(1);
      if (!straight && !turned) return std::nullopt;
      const Source& compared = from.sources[2];
      if (i == 0) {
        test.source = compared;
        test.source.refs = {};
        test.source.second = {};
        test.one_if_not_less = straight;
      } else if (test.one_if_not_less != straight || test.source.negate != compared.negate ||
                 test.source.absolute != compared.absolute ||
                 test.source.before != compared.before) {
        return std::nullopt;
      }
      test.source.refs[i] = compared.refs[ref.channel];
      test.source.second[i] = compared.second[ref.channel];
    }
    return test;
  }

  // A selection by a bool becomes a selection by what the bool was made of.
  void take_test(IrValue& value) const {
    if (!value.sources[2].negate) return;
    const auto test = test_of(value.sources[2], value.count);
    if (!test) return;
    value.sources[2] = test->source;
    if (test->one_if_not_less) std::swap(value.sources[0], value.sources[1]);
  }

  // 1 - bool.
  void turn_test(IrValue& value) const {
    for (unsigned i = 0; i < value.count; ++i) {
      if (!value.sources[0].refs[i].is_literal(1)) return;
    }
    const Source& first = value.sources[0];
    if (first.negate || first.absolute || first.before != Before::kNothing) return;
    if (!value.sources[1].negate || value.saturate || value.scale != 0) return;
    const auto test = test_of(value.sources[1], value.count);
    if (!test) return;
    value.op = IrOp::kCmp;
    value.sources = {};
    for (unsigned i = 0; i < value.count; ++i) {
      value.sources[0].refs[i] = Ref::literal(test->one_if_not_less ? 0.0F : 1.0F);
      value.sources[1].refs[i] = Ref::literal(test->one_if_not_less ? 1.0F : 0.0F);
    }
    value.sources[2] = test->source;
  }

  // (x * literal) * literal becomes x * literal, which rounds once.
  void join_factors(IrValue& value) const {
    const auto is_factor = [](const Source& source) {
      return source.before == Before::kNothing && !source.absolute && !source.negate;
    };
    for (unsigned s = 0; s < 2; ++s) {
      Source& factor = value.sources[s];
      Source& other = value.sources[1 - s];
      if (!is_factor(factor) || other.before != Before::kNothing || other.absolute) continue;
      Source joined = other;
      Source product = factor;
      bool fits = true;
      for (unsigned i = 0; i < value.count && fits; ++i) {
        const Ref& ref = other.refs[i];
        fits = factor.refs[i].is_literal() && ref.is_value() && ref.index == other.refs[0].index;
        if (!fits) break;
        const IrValue& inner = definition(ref);
        fits = inner.op == IrOp::kMul && !inner.saturate && inner.scale == 0;
        if (!fits) break;
        const unsigned literal = inner.sources[0].refs[ref.channel].is_literal() ? 0 : 1;
        const Source& rest = inner.sources[1 - literal];
        fits = is_factor(inner.sources[literal]) && is_factor(rest) &&
               inner.sources[literal].refs[ref.channel].is_literal();
        if (!fits) break;
        product.refs[i] = Ref::literal(factor.refs[i].number() *
                                       inner.sources[literal].refs[ref.channel].number());
        joined.refs[i] = rest.refs[ref.channel];
      }
      if (!fits) continue;
      factor = product;
      other = joined;
      return;
    }
  }

  IrProgram& program_;
  const Options& options_;
  std::vector<std::array<Ref, 4>> replaced_;
  std::map<Key, ValueId> known_;
};

}  // namespace

void simplify(IrProgram& program, const Options& options) { Simplifier(program, options).run(); }

bool simplify_cells(IrProgram& program) {
  std::map<Ref, std::set<Ref>> given;  // to each component of a cell
  for_each_node(program.body, [&](const IrNode& node) {
    for (const CellSet& set : node.sets) {
      for (unsigned i = 0; i < program.values[set.cell].count; ++i) {
        if (set.refs[i].kind != Ref::Kind::kNone)
          given[Ref::value(set.cell, i)].insert(set.refs[i]);
      }
    }
  });
  std::map<Ref, Ref> replaced;
  for (const auto& [cell, refs] : given) {
    if (refs.size() == 1) replaced[cell] = *refs.begin();
  }
  if (replaced.empty()) return false;
  const auto resolve = [&](Ref& ref) {
    for (auto found = replaced.find(ref); found != replaced.end(); found = replaced.find(ref))
      ref = found->second;
  };
  for_each_node(program.body, [&](IrNode& node) {
    if (node.kind == NodeKind::kValue) for_each_ref(program.values[node.value], resolve);
    resolve(node.condition);
    for (Ref& ref : node.refs) resolve(ref);
    for (CellSet& set : node.sets) {
      for (unsigned i = 0; i < 4; ++i) {
        if (replaced.contains(Ref::value(set.cell, i)))
          set.refs[i] = {};
        else
          resolve(set.refs[i]);
      }
    }
  });
  return true;
}

}  // namespace raddle::cg
