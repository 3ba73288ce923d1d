// The built-in functions, as docs/cg.md defines them.
#include "base/error.h"
#include "lang/cg/ir/builder.h"

namespace raddle::cg {
namespace {

constexpr float kPerTurn = 0.15915494309189535F;  // 1 / 2π

}  // namespace

Refs Builder::lower_intrinsic(const Expr& expression) {
  if (is_texture(expression.intrinsic)) return lower_texture(expression);
  std::vector<Refs> arguments;
  for (const ExprPtr& operand : expression.operands) arguments.push_back(lower(*operand));
  at(expression.place);
  const Refs& a = arguments[0];
  switch (expression.intrinsic) {
    case Intrinsic::kAny:
    case Intrinsic::kAll: {
      Refs result{a[0]};
      const IrOp op = expression.intrinsic == Intrinsic::kAny ? IrOp::kMax : IrOp::kMin;
      for (std::size_t i = 1; i < a.size(); ++i) result = emit(op, {{result}, {{a[i]}}});
      return result;
    }
    case Intrinsic::kDot: return dot(a, arguments[1]);
    case Intrinsic::kLength: return scalar(IrOp::kRcp, scalar(IrOp::kRsq, dot(a, a)));
    case Intrinsic::kNormalize: {
      const Refs scale = scalar(IrOp::kRsq, dot(a, a));
      return multiply(a, Refs(a.size(), scale[0]));
    }
    case Intrinsic::kCross: {
      const Refs& b = arguments[1];
      const Refs second = multiply({a[2], a[0], a[1]}, {b[1], b[2], b[0]});
      return subtract(multiply({a[1], a[2], a[0]}, {b[2], b[0], b[1]}), second);
    }
    case Intrinsic::kMul: return lower_product(expression, a, arguments[1]);
    case Intrinsic::kTranspose: {
      const Type from = expression.operands[0]->type;
      Refs result;
      for (unsigned column = 0; column < from.columns; ++column) {
        for (unsigned row = 0; row < from.rows; ++row)
          result.push_back(a[row * from.columns + column]);
      }
      return result;
    }
    case Intrinsic::kPow:
      if (const unsigned n = written_exponent(expression)) {
        Refs result = a;
        for (unsigned i = 1; i < n; ++i) result = multiply(result, a);
        return result;
      }
      return lower_each(expression.intrinsic, arguments);
    default: return lower_each(expression.intrinsic, arguments);
  }
}

Refs Builder::lower_each(Intrinsic intrinsic, const std::vector<Refs>& arguments) {
  const Refs& a = arguments[0];
  const std::size_t size = a.size();
  switch (intrinsic) {
    case Intrinsic::kAbs: return emit(IrOp::kMov, {{a, false, true}});
    case Intrinsic::kCeil: {
      const Refs fraction = emit(IrOp::kFrc, {{a, true}});
      return negate(emit(IrOp::kAdd, {{a, true}, {fraction, true}}));
    }
    case Intrinsic::kClamp:
      return emit(IrOp::kMin, {{emit(IrOp::kMax, {{a}, {arguments[1]}})}, {arguments[2]}});
    case Intrinsic::kCos: return scalar(IrOp::kCos, multiply(a, literals(kPerTurn, size)));
    case Intrinsic::kDdx: return emit(IrOp::kMdh, {{a}});
    case Intrinsic::kDdy: return emit(IrOp::kMdv, {{a}});
    case Intrinsic::kExp2: return scalar(IrOp::kEx2, a);
    case Intrinsic::kFloor: return floor(a);
    case Intrinsic::kFrac: return scalar(IrOp::kFrc, a);
    case Intrinsic::kLerp: return add(multiply(arguments[2], subtract(arguments[1], a)), a);
    case Intrinsic::kLog2: return scalar(IrOp::kLn2, a);
    case Intrinsic::kMax: return emit(IrOp::kMax, {{a}, {arguments[1]}});
    case Intrinsic::kMin: return emit(IrOp::kMin, {{a}, {arguments[1]}});
    case Intrinsic::kPow: return scalar(IrOp::kEx2, multiply(arguments[1], scalar(IrOp::kLn2, a)));
    case Intrinsic::kRcp: return scalar(IrOp::kRcp, a);
    case Intrinsic::kRound: return floor(add(a, literals(0.5F, size)));
    case Intrinsic::kRsqrt: return scalar(IrOp::kRsq, a);
    case Intrinsic::kSaturate: return emit(IrOp::kMov, {{a}}, true);
    case Intrinsic::kSign: {
      const Refs positive = select(a, true, false, literals(0, size), literals(1, size));
      return select(a, false, false, positive, literals(-1, size));
    }
    case Intrinsic::kSin: return scalar(IrOp::kSin, multiply(a, literals(kPerTurn, size)));
    case Intrinsic::kSqrt: return scalar(IrOp::kRcp, scalar(IrOp::kRsq, a));
    case Intrinsic::kStep: return compare(Op::kGreaterEqual, arguments[1], a);
    case Intrinsic::kTrunc: return truncate(a);
    default: RADDLE_ASSERT(false); return {};
  }
}

const SamplerBinding& Builder::sampler_of(const Expr& expression) {
  const Ref unit = lower(expression)[0];
  for (const SamplerBinding& sampler : interface_.samplers) {
    if (unit.is_literal(sampler.unit)) return sampler;
  }
  throw PlacedError({}, expression.place, "which sampler this is must be known at compile time");
}

// One level and one kind of texture: levels, biases and derivatives choose nothing, only what
// computing them changes counts.
Refs Builder::lower_texture(const Expr& expression) {
  const SamplerBinding& sampler = sampler_of(*expression.operands[0]);
  const Intrinsic id = expression.intrinsic;
  const auto size = [&](unsigned first) {
    return Refs{Ref::uniform(*sampler.size_register, first),
                Ref::uniform(*sampler.size_register, first + 1)};
  };
  if (id == Intrinsic::kTexFiltered) return {Ref::uniform(*sampler.size_register, 2)};
  if (is_size(id)) return size(0);
  const Refs point = lower(*expression.operands[1]);
  Refs last;
  for (std::size_t i = 2; i < expression.operands.size(); ++i)
    last = lower(*expression.operands[i]);
  at(expression.place);
  Refs place{point[0], is_one_dimensional(id) ? Ref::literal(0) : point[1]};
  if (is_fetch(id)) place = add(place, Refs(2, Ref::literal(0.5F)));  // the middle of the texel
  IrValue value;
  value.op = IrOp::kTex;
  value.count = 4;
  value.width = is_projective(id) ? 3 : 2;
  value.sampler = sampler.unit;
  value.scaled = interface_.stage == Stage::kFragment && !is_rectangle(id) && !is_fetch(id);
  if (has_offset(expression)) {  // in texels
    if (value.width == 3) place = multiply(place, Refs(2, scalar(IrOp::kRcp, {point.back()})[0]));
    if (value.scaled) place = multiply(place, size(0));
    last.resize(2, Ref::literal(0));
    place = add(place, last);
    value.scaled = false;
    value.width = 2;
  }
  value.sources[0].refs[0] = place[0];
  value.sources[0].refs[1] = place[1];
  if (value.width == 3) value.sources[0].refs[2] = point.back();
  const ValueId id_of_texel = new_value(value);
  Refs texel;
  for (unsigned i = 0; i < 4; ++i) texel.push_back(Ref::value(id_of_texel, i));
  return texel;
}

Refs Builder::lower_product(const Expr& expression, const Refs& a, const Refs& b) {
  const Type left = expression.operands[0]->type;
  const Type right = expression.operands[1]->type;
  Refs result;
  const auto append = [&](const Refs& part) {
    result.insert(result.end(), part.begin(), part.end());
  };
  const auto row_of = [](const Refs& refs, unsigned row, unsigned columns) {
    const auto first = refs.begin() + static_cast<std::ptrdiff_t>(row) * columns;
    return Refs(first, first + columns);
  };
  if (left.is_matrix() && right.is_vector()) {
    for (unsigned row = 0; row < left.rows; ++row) append(dot(row_of(a, row, left.columns), b));
    return result;
  }
  const unsigned rows = left.is_matrix() ? left.rows : 1;
  for (unsigned row = 0; row < rows; ++row) {
    Refs sum;
    for (unsigned k = 0; k < left.columns; ++k) {
      const Refs factor(right.columns, a[row * left.columns + k]);
      const Refs product = multiply(factor, row_of(b, k, right.columns));
      sum = k == 0 ? product : add(product, sum);
    }
    append(sum);
  }
  return result;
}

}  // namespace raddle::cg
