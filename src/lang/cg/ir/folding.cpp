#include "lang/cg/ir/folding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace raddle::cg {
namespace {

using Four = std::array<Ref, 4>;

std::optional<float> known(const Source& source, unsigned i) {
  if (!source.refs[i].is_literal()) return std::nullopt;
  float number = source.refs[i].number();
  if (source.before == Before::kOneMinus) number = 1 - number;
  if (source.before >= Before::kDifference) {
    if (!source.second[i].is_literal()) return std::nullopt;
    number = source.before == Before::kSum ? source.second[i].number() + number
                                           : source.second[i].number() - number;
  }
  if (source.absolute) number = std::fabs(number);
  return source.negate ? -number : number;
}

bool is_plain(const Source& source) {
  return source.before == Before::kNothing && !source.negate && !source.absolute;
}

bool all_are(const IrValue& value, unsigned source, float number) {
  for (unsigned i = 0; i < value.source_width(); ++i) {
    const auto found = known(value.sources[source], i);
    if (!found || !Ref::literal(*found).is_literal(number)) return false;
  }
  return true;
}

float turn(double (*function)(double), float a) {
  return static_cast<float>(function(2 * std::numbers::pi * static_cast<double>(a)));
}

float compute(IrOp op, float a, float b, float c) {
  switch (op) {
    case IrOp::kMov: return a;
    case IrOp::kAdd: return a + b;
    case IrOp::kMul: return a * b;
    case IrOp::kMad: {
      const float product = a * b;
      return product + c;
    }
    case IrOp::kMin: return a < b ? a : b;
    case IrOp::kMax: return a >= b ? a : b;
    case IrOp::kCmp: return c >= 0 ? a : b;
    case IrOp::kFrc: return a - std::floor(a);
    case IrOp::kEx2: return static_cast<float>(std::exp2(static_cast<double>(a)));
    case IrOp::kLn2: return static_cast<float>(std::log2(static_cast<double>(a)));
    case IrOp::kRcp: return static_cast<float>(1.0 / static_cast<double>(a));
    case IrOp::kRsq: return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
    case IrOp::kSin: return turn(std::sin, a);
    case IrOp::kCos: return turn(std::cos, a);
    default: return 0;
  }
}

float finish(const IrValue& value, float number) {
  if (value.scale != 0) number *= std::ldexp(1.0F, value.scale);
  if (value.saturate) number = !(number > 0) ? 0.0F : number < 1 ? number : 1.0F;
  return number;
}

std::optional<Four> fold_known(const IrValue& value) {
  if (value.op >= IrOp::kTex) return std::nullopt;
  Four result{};
  if (value.op == IrOp::kDot) {
    std::array<float, 4> products{};
    for (unsigned i = 0; i < value.width; ++i) {
      const auto a = known(value.sources[0], i);
      const auto b = known(value.sources[1], i);
      if (!a || !b) return std::nullopt;
      products[i] = *a * *b;
    }
    float sum = products[0] + products[1];
    if (value.width == 3) sum += products[2];
    if (value.width == 4) sum += products[2] + products[3];
    result[0] = Ref::literal(finish(value, sum));
    return result;
  }
  for (unsigned i = 0; i < value.count; ++i) {
    std::array<float, 3> numbers{};
    for (unsigned s = 0; s < value.source_count(); ++s) {
      const auto number = known(value.sources[s], i);
      if (!number) return std::nullopt;
      numbers[s] = *number;
    }
    result[i] = Ref::literal(finish(value, compute(value.op, numbers[0], numbers[1], numbers[2])));
  }
  return result;
}

std::optional<Four> as_source(const IrValue& value, unsigned source) {
  if (!is_plain(value.sources[source])) return std::nullopt;
  return value.sources[source].refs;
}

}  // namespace

std::optional<Four> fold(const IrValue& value) {
  if (const auto result = fold_known(value)) return result;
  if (value.saturate || value.scale != 0) return std::nullopt;
  switch (value.op) {
    case IrOp::kMov: return as_source(value, 0);
    case IrOp::kMul:
      if (all_are(value, 1, 1)) return as_source(value, 0);
      if (all_are(value, 0, 1)) return as_source(value, 1);
      break;
    case IrOp::kAdd:  // -0 is what leaves everything as it is
      if (all_are(value, 1, -0.0F)) return as_source(value, 0);
      if (all_are(value, 0, -0.0F)) return as_source(value, 1);
      break;
    case IrOp::kCmp: {
      bool known_test = true;
      Four result{};
      for (unsigned i = 0; i < value.count; ++i) {
        const auto test = known(value.sources[2], i);
        const Source& taken = value.sources[test && *test >= 0 ? 0 : 1];
        known_test = known_test && test && is_plain(taken);
        result[i] = taken.refs[i];
      }
      if (known_test) return result;
      if (value.sources[0] == value.sources[1]) return as_source(value, 0);
      break;
    }
    case IrOp::kMin:
    case IrOp::kMax:
      if (value.sources[0] == value.sources[1]) return as_source(value, 0);
      break;
    default: break;
  }
  return std::nullopt;
}

std::optional<Four> fold_loosely(const IrValue& value) {
  if (const auto result = fold(value)) return result;
  if (value.saturate || value.scale != 0) return std::nullopt;
  Four zeros{};
  zeros.fill(Ref::literal(0));
  switch (value.op) {
    case IrOp::kAdd:
      if (all_are(value, 1, 0)) return as_source(value, 0);
      if (all_are(value, 0, 0)) return as_source(value, 1);
      break;
    case IrOp::kMul:
      if (all_are(value, 0, 0) || all_are(value, 1, 0)) return zeros;
      break;
    default: break;
  }
  return std::nullopt;
}

}  // namespace raddle::cg
