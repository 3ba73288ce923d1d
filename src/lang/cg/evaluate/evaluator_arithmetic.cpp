#include "lang/cg/evaluate/evaluator_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace raddle::cg {
namespace {

constexpr float kPerTurn = 0.15915494309189535F;  // 1 / 2π

float select_max(float a, float b) { return a >= b ? a : b; }
float select_min(float a, float b) { return a < b ? a : b; }
float saturated(float a) {
  if (!(a > 0)) return 0;
  return a < 1 ? a : 1;
}

}  // namespace

float Arithmetic::flushed(float a) {
  return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0F, a) : a;
}

float Arithmetic::reciprocal(float a) const { return out(static_cast<float>(1.0 / in(a))); }
float Arithmetic::reciprocal_root(float a) const {
  return out(static_cast<float>(1.0 / std::sqrt(static_cast<double>(in(a)))));
}
float Arithmetic::power_of_two(float a) const {
  return out(static_cast<float>(std::exp2(static_cast<double>(in(a)))));
}
float Arithmetic::logarithm(float a) const {
  return out(static_cast<float>(std::log2(static_cast<double>(in(a)))));
}
float Arithmetic::sine(float a) const {
  if (rules_.ieee) return std::sin(a);
  const double turns = multiply(a, kPerTurn);
  return out(static_cast<float>(std::sin(2 * std::numbers::pi * turns)));
}
float Arithmetic::cosine(float a) const {
  if (rules_.ieee) return std::cos(a);
  const double turns = multiply(a, kPerTurn);
  return out(static_cast<float>(std::cos(2 * std::numbers::pi * turns)));
}
float Arithmetic::fraction(float a) const { return out(in(a)-std::floor(in(a))); }

float Arithmetic::truncate(float a) const {
  const float size = floor(std::fabs(a));
  return a >= 0 ? size : -size;
}

// For two integers: exact below 2^21, toward zero, as in C.
float Arithmetic::whole_quotient(float a, float b) const {
  if (b == 0 || !std::isfinite(a) || !std::isfinite(b)) return divide(a, b);
  const auto size = static_cast<float>(
      std::trunc(std::fabs(static_cast<double>(a)) / std::fabs(static_cast<double>(b))));
  return a * b >= 0 ? size : -size;
}

float Arithmetic::binary(Op op, float a, float b, bool is_integer) const {
  switch (op) {
    case Op::kAdd: return add(a, b);
    case Op::kSubtract: return subtract(a, b);
    case Op::kMultiply: return multiply(a, b);
    case Op::kDivide: return is_integer ? whole_quotient(a, b) : divide(a, b);
    case Op::kModulo: return subtract(a, multiply(b, whole_quotient(a, b)));
    case Op::kLess: return less(a, b) ? 1.0F : 0.0F;
    case Op::kGreaterEqual: return at_least(a, b) ? 1.0F : 0.0F;
    case Op::kGreater: return less(b, a) ? 1.0F : 0.0F;
    case Op::kLessEqual: return at_least(b, a) ? 1.0F : 0.0F;
    case Op::kEqual: return equal(a, b) ? 1.0F : 0.0F;
    case Op::kNotEqual: return equal(a, b) ? 0.0F : 1.0F;
    case Op::kAnd: return a != 0 && b != 0 ? 1.0F : 0.0F;
    case Op::kOr: return a != 0 || b != 0 ? 1.0F : 0.0F;
    case Op::kNegate:
    case Op::kNot: break;
  }
  RADDLE_ASSERT(false);
  return 0;
}

float Arithmetic::dot(std::span<const float> a, std::span<const float> b) const {
  std::vector<float> products;
  for (std::size_t i = 0; i < a.size(); ++i) products.push_back(multiply(a[i], b[i]));
  if (products.size() == 1) return products[0];
  float sum = add(products[0], products[1]);
  if (products.size() == 3) sum = add(sum, products[2]);
  if (products.size() == 4) sum = add(sum, add(products[2], products[3]));
  return sum;
}

float Arithmetic::each(Intrinsic intrinsic, float a, float b, float c) const {
  switch (intrinsic) {
    case Intrinsic::kAbs: return std::fabs(a);
    case Intrinsic::kCeil: return -floor(-a);
    case Intrinsic::kClamp: return select_min(select_max(a, b), c);
    case Intrinsic::kCos: return cosine(a);
    case Intrinsic::kExp2: return power_of_two(a);
    case Intrinsic::kFloor: return floor(a);
    case Intrinsic::kFrac: return fraction(a);
    case Intrinsic::kLerp: return add(multiply(c, subtract(b, a)), a);
    case Intrinsic::kLog2: return logarithm(a);
    case Intrinsic::kMax: return select_max(a, b);
    case Intrinsic::kMin: return select_min(a, b);
    case Intrinsic::kPow:
      if (rules_.ieee) return std::pow(a, b);
      return power_of_two(multiply(b, logarithm(a)));
    case Intrinsic::kRcp: return reciprocal(a);
    case Intrinsic::kRound: return floor(add(a, 0.5F));
    case Intrinsic::kRsqrt: return reciprocal_root(a);
    case Intrinsic::kSaturate: return saturated(a);
    case Intrinsic::kSign: return a >= 0 ? (-a >= 0 ? 0.0F : 1.0F) : -1.0F;
    case Intrinsic::kSin: return sine(a);
    case Intrinsic::kSqrt: return root(a);
    case Intrinsic::kStep: return at_least(b, a) ? 1.0F : 0.0F;
    case Intrinsic::kTrunc: return truncate(a);
    default: RADDLE_ASSERT(false); return 0;
  }
}

// Sums of products: along the rows of a matrix by dot(), over the rows of a second operand one
// after the other.
std::vector<float> Arithmetic::product(const Expr& expression, const std::vector<float>& a,
                                       const std::vector<float>& b) const {
  const Type left = expression.operands[0]->type;
  const Type right = expression.operands[1]->type;
  std::vector<float> result;
  if (left.is_matrix() && right.is_vector()) {
    for (unsigned row = 0; row < left.rows; ++row)
      result.push_back(dot(std::span(a).subspan(row * left.columns, left.columns), b));
    return result;
  }
  const unsigned rows = left.is_matrix() ? left.rows : 1;
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned column = 0; column < right.columns; ++column) {
      float sum = multiply(a[row * left.columns], b[column]);
      for (unsigned k = 1; k < left.columns; ++k)
        sum = add(multiply(a[row * left.columns + k], b[k * right.columns + column]), sum);
      result.push_back(sum);
    }
  }
  return result;
}

std::vector<float> Arithmetic::intrinsic(const Expr& expression,
                                         const std::vector<std::vector<float>>& arguments) const {
  const std::vector<float>& a = arguments[0];
  const auto is_true = [](float number) { return number != 0; };
  switch (expression.intrinsic) {
    case Intrinsic::kAll: return {std::ranges::all_of(a, is_true) ? 1.0F : 0.0F};
    case Intrinsic::kAny: return {std::ranges::any_of(a, is_true) ? 1.0F : 0.0F};
    case Intrinsic::kDot: return {dot(a, arguments[1])};
    case Intrinsic::kLength: return {root(dot(a, a))};
    case Intrinsic::kNormalize: {
      const float scale = reciprocal_root(dot(a, a));
      std::vector<float> result;
      for (const float number : a) result.push_back(multiply(number, scale));
      return result;
    }
    case Intrinsic::kCross: {
      const std::vector<float>& b = arguments[1];
      std::vector<float> result;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t y = (i + 1) % 3;
        const std::size_t z = (i + 2) % 3;
        result.push_back(subtract(multiply(a[y], b[z]), multiply(a[z], b[y])));
      }
      return result;
    }
    case Intrinsic::kMul: return product(expression, a, arguments[1]);
    case Intrinsic::kTranspose: {
      const Type from = expression.operands[0]->type;
      std::vector<float> result;
      for (unsigned column = 0; column < from.columns; ++column) {
        for (unsigned row = 0; row < from.rows; ++row)
          result.push_back(a[row * from.columns + column]);
      }
      return result;
    }
    case Intrinsic::kPow: {
      const unsigned n = written_exponent(expression);
      if (n == 0 || rules_.ieee) break;
      std::vector<float> result = a;
      for (unsigned k = 1; k < n; ++k) {
        for (std::size_t i = 0; i < a.size(); ++i) result[i] = multiply(result[i], a[i]);
      }
      return result;
    }
    default: break;
  }
  std::vector<float> result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    result.push_back(each(expression.intrinsic, a[i], arguments.size() > 1 ? arguments[1][i] : 0,
                          arguments.size() > 2 ? arguments[2][i] : 0));
  }
  return result;
}

std::optional<std::vector<float>> library_value(std::string_view name,
                                                const std::vector<std::vector<float>>& arguments) {
  struct One {
    std::string_view name;
    float (*value)(float);
  };
  static constexpr One kOnes[] = {
      {"exp", [](float a) { return std::exp(a); }},
      {"log", [](float a) { return std::log(a); }},
      {"log10", [](float a) { return std::log10(a); }},
      {"tan", [](float a) { return std::tan(a); }},
      {"sinh", [](float a) { return std::sinh(a); }},
      {"cosh", [](float a) { return std::cosh(a); }},
      {"tanh", [](float a) { return std::tanh(a); }},
      {"asin", [](float a) { return std::asin(a); }},
      {"acos", [](float a) { return std::acos(a); }},
      {"atan", [](float a) { return std::atan(a); }},
  };
  std::vector<float> result = arguments[0];
  for (const One& one : kOnes) {
    if (one.name != name) continue;
    for (float& number : result) number = one.value(number);
    return result;
  }
  if (name != "atan2" && name != "fmod") return std::nullopt;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = name == "fmod" ? std::fmod(result[i], arguments[1][i])
                               : std::atan2(result[i], arguments[1][i]);
  }
  return result;
}

}  // namespace raddle::cg
