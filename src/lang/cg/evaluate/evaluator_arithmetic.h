// The float operations of the language, number by number, as the evaluator carries them out.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lang/cg/evaluate/evaluator.h"

namespace raddle::cg {

class Arithmetic {
 public:
  explicit Arithmetic(FloatRules rules) : rules_(rules) {}

  float add(float a, float b) const { return out(in(a) + in(b)); }
  float subtract(float a, float b) const { return out(in(a)-in(b)); }
  float multiply(float a, float b) const { return out(in(a)*in(b)); }
  float reciprocal(float a) const;
  float divide(float a, float b) const { return rules_.ieee ? a / b : multiply(a, reciprocal(b)); }
  float reciprocal_root(float a) const;
  float power_of_two(float a) const;
  float logarithm(float a) const;
  float sine(float a) const;
  float cosine(float a) const;
  float fraction(float a) const;
  float floor(float a) const { return subtract(a, fraction(a)); }
  float truncate(float a) const;
  float whole_quotient(float a, float b) const;

  // Comparisons are made by subtraction, as the processor does; `<` is "not >=".
  bool at_least(float a, float b) const { return rules_.ieee ? a >= b : subtract(a, b) >= 0; }
  bool less(float a, float b) const { return rules_.ieee ? a < b : !at_least(a, b); }
  bool equal(float a, float b) const { return rules_.ieee ? a == b : subtract(a, b) == 0; }

  float binary(Op op, float a, float b, bool is_integer) const;
  float dot(std::span<const float> a, std::span<const float> b) const;
  // A built-in function that works number by number.
  float each(Intrinsic intrinsic, float a, float b, float c) const;
  std::vector<float> intrinsic(const Expr& expression,
                               const std::vector<std::vector<float>>& arguments) const;

 private:
  float root(float a) const { return rules_.ieee ? std::sqrt(a) : reciprocal(reciprocal_root(a)); }
  float in(float a) const { return rules_.flush_denormals ? flushed(a) : a; }
  float out(float a) const { return in(a); }
  static float flushed(float a);
  std::vector<float> product(const Expr& expression, const std::vector<float>& a,
                             const std::vector<float>& b) const;

  FloatRules rules_;
};

// A library function as C computes it; nothing where its Cg text is as good.
std::optional<std::vector<float>> library_value(std::string_view name,
                                                const std::vector<std::vector<float>>& arguments);

}  // namespace raddle::cg
