// When a thread comes to a place of a piece: an or of ands of predicates, kept as short as it can
// be, because what is written out costs control units.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "kernel/instruction.h"

namespace raddle::machine::cgra {

struct Literal {
  kernel::RegisterId predicate = 0;
  bool negated = false;
  auto operator<=>(const Literal&) const = default;
};

class Condition {
 public:
  using Conjunction = std::vector<Literal>;  // sorted; empty: always

  static Condition never() { return {}; }
  static Condition always() {
    Condition condition;
    condition.terms_.emplace_back();
    return condition;
  }

  bool is_always() const { return terms_.size() == 1 && terms_[0].empty(); }
  bool is_never() const { return terms_.empty(); }
  const std::vector<Conjunction>& terms() const { return terms_; }

  // Both hold. An absent guard always does.
  Condition operator&&(const kernel::Guard& guard) const;
  // One of both holds.
  Condition operator||(const Condition& other) const;

  // Literals that every term of both has.
  static Conjunction common(const Condition& a, const Condition& b);
  // Without these literals, which are known to hold.
  Condition without(const Conjunction& literals) const;

  auto operator<=>(const Condition&) const = default;

 private:
  void simplify();

  std::vector<Conjunction> terms_;  // sorted; none: never
};

}  // namespace raddle::machine::cgra
