#include "machine/cgra/compile/condition.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace raddle::machine::cgra {

namespace {

using Conjunction = Condition::Conjunction;

bool contains(const Conjunction& whole, const Conjunction& part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// a || b as one conjunction, if they differ in the sign of one literal or one includes the other.
std::optional<Conjunction> merged(const Conjunction& a, const Conjunction& b) {
  if (contains(a, b)) return b;
  if (contains(b, a)) return a;
  if (a.size() != b.size()) return std::nullopt;
  std::size_t place = a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (a[i].predicate != b[i].predicate || place != a.size()) return std::nullopt;
    place = i;
  }
  Conjunction rest = a;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
  return rest;
}

// a || (!a && b) is a || b: drops from a term the literal whose opposite is a term by itself.
bool drop_opposites(std::vector<Conjunction>& terms) {
  for (const Conjunction& single : terms) {
    if (single.size() != 1) continue;
    const Literal opposite{single[0].predicate, !single[0].negated};
    for (Conjunction& term : terms) {
      const auto found = std::find(term.begin(), term.end(), opposite);
      if (term.size() < 2 || found == term.end()) continue;
      term.erase(found);
      return true;
    }
  }
  return false;
}

bool merge_two(std::vector<Conjunction>& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      std::optional<Conjunction> both = merged(terms[i], terms[j]);
      if (!both) continue;
      terms[i] = std::move(*both);
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      return true;
    }
  }
  return false;
}

}  // namespace

void Condition::simplify() {
  while (merge_two(terms_) || drop_opposites(terms_)) {
  }
  std::sort(terms_.begin(), terms_.end());
}

Condition Condition::operator&&(const kernel::Guard& guard) const {
  if (!guard.present()) return *this;
  const Literal literal{guard.predicate, guard.negated};
  const Literal opposite{guard.predicate, !guard.negated};
  Condition result;
  for (const Conjunction& term : terms_) {
    if (std::binary_search(term.begin(), term.end(), opposite)) continue;
    Conjunction longer = term;
    const auto place = std::lower_bound(longer.begin(), longer.end(), literal);
    if (place == longer.end() || *place != literal) longer.insert(place, literal);
    result.terms_.push_back(std::move(longer));
  }
  result.simplify();
  return result;
}

Condition Condition::operator||(const Condition& other) const {
  Condition result = *this;
  result.terms_.insert(result.terms_.end(), other.terms_.begin(), other.terms_.end());
  result.simplify();
  return result;
}

Condition::Conjunction Condition::common(const Condition& a, const Condition& b) {
  Conjunction shared;
  bool first = true;
  for (const Condition* condition : {&a, &b}) {
    for (const Conjunction& term : condition->terms_) {
      if (first) {
        shared = term;
        first = false;
        continue;
      }
      Conjunction both;
      std::set_intersection(shared.begin(), shared.end(), term.begin(), term.end(),
                            std::back_inserter(both));
      shared = std::move(both);
    }
  }
  return shared;
}

Condition Condition::without(const Conjunction& literals) const {
  Condition result;
  for (const Conjunction& term : terms_) {
    Conjunction rest;
    std::set_difference(term.begin(), term.end(), literals.begin(), literals.end(),
                        std::back_inserter(rest));
    result.terms_.push_back(std::move(rest));
  }
  result.simplify();
  return result;
}

}  // namespace raddle::machine::cgra
