#include <algorithm>
#include <optional>

#include "lang/cg/ir/passes.h"

namespace raddle::cg {
namespace {

class Combiner {
 public:
  Combiner(IrProgram& program, const Options& options) : program_(program), options_(options) {}

  void run() {
    const bool may_contract = !options_.fused_mad || !options_.strict;
    if (may_contract) each([&](IrValue& value) { make_mad(value); });
    for (int i = 0; i < 3; ++i) each([&](IrValue& value) { take_scale(value); });
    each([&](IrValue& value) { take_saturation(value); });
    each([&](IrValue& value) { take_sums(value); });
  }

 private:
  template <typename Visit>
  void each(const Visit& visit) {
    remove_dead_code(program_);  // what was taken into others is no use of its operands any more
    count_uses();
    for_each_node(program_.body, [&](IrNode& node) {
      if (node.kind == NodeKind::kValue) visit(program_.values[node.value]);
    });
  }

  // How many operands, sets, outputs and conditions mention a value.
  void count_uses() {
    uses_.assign(program_.values.size(), 0);
    const auto count = [&](const std::array<Ref, 4>& refs, unsigned width) {
      std::vector<ValueId> seen;
      for (unsigned i = 0; i < width; ++i) {
        if (!refs[i].is_value() || std::ranges::find(seen, refs[i].index) != seen.end()) continue;
        seen.push_back(refs[i].index);
        ++uses_[refs[i].index];
      }
    };
    for_each_node(program_.body, [&](const IrNode& node) {
      if (node.kind == NodeKind::kValue) {
        const IrValue& value = program_.values[node.value];
        for (unsigned s = 0; s < value.source_count(); ++s) {
          count(value.sources[s].refs, value.source_width());
          if (value.sources[s].before >= Before::kDifference)
            count(value.sources[s].second, value.source_width());
        }
      }
      if (node.kind == NodeKind::kIf && node.condition.is_value()) ++uses_[node.condition.index];
      if (node.kind == NodeKind::kOutput) count(node.refs, 4);
      for (const CellSet& set : node.sets) count(set.refs, 4);
    });
  }

  // The one value that a whole operand reads and that nothing else reads.
  std::optional<ValueId> only_source(const Source& source, unsigned width) const {
    if (source.before != Before::kNothing) return std::nullopt;
    for (unsigned i = 0; i < width; ++i) {
      if (!source.refs[i].is_value() || source.refs[i].index != source.refs[0].index)
        return std::nullopt;
    }
    const ValueId id = source.refs[0].index;
    if (uses_[id] != 1) return std::nullopt;
    return id;
  }

  // `inner`, which the refs of `outer` choose components of.
  static Source through(const Source& inner, const Source& outer, unsigned width) {
    Source result = inner;
    for (unsigned i = 0; i < width; ++i) {
      result.refs[i] = inner.refs[outer.refs[i].channel];
      result.second[i] = inner.second[outer.refs[i].channel];
    }
    return result;
  }

  void make_mad(IrValue& value) {
    if (value.op != IrOp::kAdd) return;
    for (unsigned s = 0; s < 2; ++s) {
      const Source& source = value.sources[s];
      const auto id = source.absolute ? std::nullopt : only_source(source, value.count);
      if (!id) continue;
      const IrValue& product = program_.values[*id];
      if (product.op != IrOp::kMul || product.saturate || product.scale != 0) continue;
      const Source other = value.sources[1 - s];
      Source a = through(product.sources[0], source, value.count);
      const Source b = through(product.sources[1], source, value.count);
      a.negate = a.negate != source.negate;
      value.op = IrOp::kMad;
      value.sources = {a, b, other};
      return;
    }
  }

  static bool is_arithmetic(const IrValue& value) {
    return value.op <= IrOp::kCos && value.op != IrOp::kMov;
  }

  void take_scale(IrValue& value) {
    if (value.op != IrOp::kMul || value.saturate) return;
    for (unsigned s = 0; s < 2; ++s) {
      const Source& factor = value.sources[1 - s];
      const Source& source = value.sources[s];
      const auto scale = power_of(factor, value.count);
      if (!scale || source.negate || source.absolute) continue;
      const auto id = only_source(source, value.count);
      if (!id) continue;
      const IrValue& inner = program_.values[*id];
      if (!is_arithmetic(inner) || inner.saturate || inner.scale != 0) continue;
      become(value, inner, source, static_cast<std::int8_t>(*scale + value.scale), false);
      return;
    }
  }

  static std::optional<int> power_of(const Source& source, unsigned width) {
    if (source.before != Before::kNothing || source.absolute || source.negate) return std::nullopt;
    for (unsigned i = 1; i < width; ++i) {
      if (source.refs[i] != source.refs[0]) return std::nullopt;
    }
    constexpr std::pair<float, int> kPowers[] = {{2, 1},     {4, 2},      {8, 3},
                                                 {0.5F, -1}, {0.25F, -2}, {0.125F, -3}};
    for (const auto& [number, power] : kPowers) {
      if (source.refs[0].is_literal(number)) return power;
    }
    return std::nullopt;
  }

  void take_saturation(IrValue& value) {
    if (value.op != IrOp::kMov || !value.saturate || value.scale != 0) return;
    const Source source = value.sources[0];
    if (source.negate || source.absolute) return;
    const auto id = only_source(source, value.count);
    if (!id) return;
    const IrValue& inner = program_.values[*id];
    if (!is_arithmetic(inner) || inner.saturate) return;
    become(value, inner, source, inner.scale, true);
  }

  // `value` does what `inner` does, for the components that `source` chooses.
  static void become(IrValue& value, const IrValue& inner, const Source& source, std::int8_t scale,
                     bool saturate) {
    IrValue made = inner;
    made.count = value.count;
    made.scale = scale;
    made.saturate = saturate;
    made.place = value.place;
    if (inner.op == IrOp::kDot || is_scalar_only(inner.op)) {
      if (value.count != 1) return;
    } else {
      for (unsigned s = 0; s < inner.source_count(); ++s)
        made.sources[s] = through(inner.sources[s], source, value.count);
    }
    value = made;
  }

  // An operand that is a sum or difference is computed on its way; one of an operation.
  void take_sums(IrValue& value) {
    if (value.op >= IrOp::kTex || value.op == IrOp::kMov) return;
    const unsigned width = value.source_width();
    for (unsigned s = 0; s < value.source_count(); ++s) {
      const Source source = value.sources[s];
      const auto id = only_source(source, width);
      if (!id) continue;
      const IrValue& sum = program_.values[*id];
      if (sum.op != IrOp::kAdd || sum.saturate || sum.scale != 0) continue;
      const Source& a = sum.sources[0];
      const Source& b = sum.sources[1];
      if (a.absolute || b.absolute || a.before != Before::kNothing || b.before != Before::kNothing)
        continue;
      Source made = through(b, source, width);
      made.second = through(a, source, width).refs;
      bool negate = false;
      if (a.negate == b.negate) {
        // -a - b is not -(a + b) where they cancel: the sign of zero differs.
        if (a.negate && options_.strict) continue;
        made.before = Before::kSum;
        negate = a.negate;
      } else {
        made.before = Before::kDifference;  // a - b
        if (a.negate) std::swap(made.refs, made.second);
      }
      if (is_all_ones(made.second, width) && made.before == Before::kDifference)
        made.before = Before::kOneMinus;
      else if (!is_worth_it(made, width))
        continue;
      made.absolute = source.absolute;
      made.negate = source.absolute ? source.negate : source.negate != negate;
      value.sources[s] = made;
      return;
    }
  }

  static bool is_all_ones(const std::array<Ref, 4>& refs, unsigned width) {
    return std::all_of(refs.begin(), refs.begin() + width,
                       [](const Ref& ref) { return ref.is_literal(1); });
  }

  // Both sides must come from one register each; literals seldom lie in the right channel.
  static bool is_worth_it(const Source& source, unsigned width) {
    for (const std::array<Ref, 4>* refs : {&source.refs, &source.second}) {
      for (unsigned i = 0; i < width; ++i) {
        const Ref& ref = (*refs)[i];
        if (ref.is_literal() || ref.kind != (*refs)[0].kind || ref.index != (*refs)[0].index)
          return false;
      }
    }
    return true;
  }

  IrProgram& program_;
  const Options& options_;
  std::vector<unsigned> uses_;
};

}  // namespace

void combine(IrProgram& program, const Options& options) { Combiner(program, options).run(); }

}  // namespace raddle::cg
