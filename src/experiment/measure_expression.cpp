#include "experiment/measure_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/wildcard.h"

namespace raddle::experiment {

namespace {

using Reduction = double (*)(std::span<const double>);

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}
double mean(std::span<const double> values) {
  return sum(values) / static_cast<double>(values.size());
}
double geomean(std::span<const double> values) {
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}
double least(std::span<const double> values) { return *std::ranges::min_element(values); }
double greatest(std::span<const double> values) { return *std::ranges::max_element(values); }
double all_hold(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value != 0; }) ? 1 : 0;
}
double any_holds(std::span<const double> values) {
  return std::ranges::any_of(values, [](double value) { return value != 0; }) ? 1 : 0;
}
double number_of(std::span<const double> values) { return static_cast<double>(values.size()); }

struct NamedReduction {
  const char* name;
  Reduction reduce;
};
constexpr NamedReduction kReductions[] = {
    {"sum", sum},      {"mean", mean},    {"geomean", geomean}, {"min", least},
    {"max", greatest}, {"all", all_hold}, {"any", any_holds},   {"count", number_of},
};

using Operation = double (*)(double, double);

struct NamedOperation {
  const char* sign;
  int rank;  // how strongly it binds
  Operation apply;
};
// The longer of two signs that begin alike stands first.
constexpr NamedOperation kOperations[] = {
    {"or", 1, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
    {"and", 2, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
    {"<=", 3, [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {">=", 3, [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    {"==", 3, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"<", 3, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {">", 3, [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"+", 4, [](double a, double b) { return a + b; }},
    {"-", 4, [](double a, double b) { return a - b; }},
    {"*", 5, [](double a, double b) { return a * b; }},
    {"/", 5, [](double a, double b) { return a / b; }},
};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Reads and computes in one go.
class Evaluator {
 public:
  Evaluator(std::string_view text, const FigureLookup& lookup, bool choose = true)
      : text_(text), lookup_(lookup), choose_(choose) {}

  Series whole() {
    Series value = operation(1);
    skip_blanks();
    if (at_ != text_.size()) fail("an operator is missing here");
    return value;
  }

 private:
  Series operation(int rank) {
    Series left = operand();
    for (;;) {
      const NamedOperation* found = peek_operation();
      if (found == nullptr || found->rank < rank) return left;
      const std::size_t place = at_;
      at_ += std::string_view(found->sign).size();
      left = combine(left, operation(found->rank + 1), *found, place);
    }
  }

  Series combine(const Series& a, const Series& b, const NamedOperation& operation,
                 std::size_t place) {
    if (!a.single() && !b.single() && a.values.size() != b.values.size()) {
      at_ = place;
      fail(fmt::format("{} values on the left, {} on the right", a.values.size(), b.values.size()));
    }
    Series result = a.single() ? b : a;
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      result.values[i] =
          operation.apply(a.values[a.single() ? 0 : i], b.values[b.single() ? 0 : i]);
    }
    return result;
  }

  Series operand() {
    skip_blanks();
    if (take('-')) return combine(Series::number(0), operand(), kOperations[8], at_);
    Series value = whole_operand();
    while (take('[')) value = chosen(value);
    return value;
  }

  // Without the runs chosen from it.
  Series whole_operand() {
    if (take('(')) {
      Series inner = operation(1);
      close();
      return inner;
    }
    if (take('[')) return list();
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0))
      return number();
    if (at_ == text_.size() || !is_name_start(text_[at_])) fail("a value is missing here");
    const std::size_t place = at_;
    const std::string name = part();
    if (take('(')) return call(name, place);
    return path(name, place);
  }

  // Values one behind the other, numbered from 1.
  Series list() {
    Series values;
    do {
      for (const double value : operation(1).values) {
        values.values.push_back(value);
        values.labels.push_back(std::to_string(values.values.size()));
      }
    } while (take(','));
    if (!take(']')) fail("a closing bracket is missing here");
    return values;
  }

  // The runs whose labels follow, in this order; with *, those that match it in their own order.
  Series chosen(const Series& all) {
    Series some;
    do {
      skip_blanks();
      const std::size_t place = at_;
      const std::string label = pattern();
      const std::size_t before = some.values.size();
      for (std::size_t i = 0; i < all.labels.size(); ++i) {
        if (!matches_wildcard(label, all.labels[i])) continue;
        some.values.push_back(all.values[i]);
        some.labels.push_back(all.labels[i]);
      }
      if (choose_ && some.values.size() == before) {
        at_ = place;
        fail(fmt::format("there is no run '{}'", label), suggestion(label, all.labels));
      }
    } while (take(','));
    if (!take(']')) fail("a closing bracket is missing here");
    return choose_ ? some : all;
  }

  Series number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return Series::number(value);
  }

  Series call(const std::string& name, std::size_t place) {
    const Series argument = operation(1);
    close();
    if (name == "ceil") {
      Series result = argument;
      for (double& value : result.values) value = std::ceil(value);
      return result;
    }
    std::vector<std::string> known{"ceil"};
    for (const NamedReduction& reduction : kReductions) {
      if (name == reduction.name) return Series::number(reduction.reduce(argument.values));
      known.emplace_back(reduction.name);
    }
    at_ = place;
    fail(fmt::format("there is no function '{}'", name), suggestion(name, known));
  }

  Series path(const std::string& first, std::size_t place) {
    std::vector<std::string> parts{first};
    while (take_directly('.')) parts.push_back(part());
    try {
      return lookup_(parts);
    } catch (const Error& error) {
      at_ = place;
      fail(error.what(), error.hint());
    }
  }

  // A name, a number or a quoted text between dots.
  std::string part() {
    const std::size_t start = at_;
    if (take_directly('"')) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) fail("the quotation does not end");
      std::string quoted(text_.substr(at_, end - at_));
      at_ = end + 1;
      return quoted;
    }
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == start) fail("a name is missing here");
    return std::string(text_.substr(start, at_ - start));
  }

  // A label, in which * may stand for anything.
  std::string pattern() {
    if (at_ < text_.size() && text_[at_] == '"') return part();
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '*')) ++at_;
    if (at_ == start) fail("a name is missing here");
    return std::string(text_.substr(start, at_ - start));
  }

  const NamedOperation* peek_operation() {
    skip_blanks();
    for (const NamedOperation& operation : kOperations) {
      if (text_.substr(at_).starts_with(operation.sign)) return &operation;
    }
    return nullptr;
  }

  void close() {
    skip_blanks();
    if (!take(')')) fail("a closing parenthesis is missing here");
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    return take_directly(c);
  }
  bool take_directly(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& what, std::string hint = {}) const {
    throw Error(fmt::format("column {} of `{}`: {}", at_ + 1, text_, what), {}, std::move(hint));
  }

  std::string_view text_;
  const FigureLookup& lookup_;
  bool choose_;  // else runs are not looked for
  std::size_t at_ = 0;
};

}  // namespace

Series evaluate(std::string_view expression, const FigureLookup& lookup) {
  return Evaluator(expression, lookup).whole();
}

std::vector<std::string> groups_of(std::string_view expression) {
  std::vector<std::string> groups;
  const FigureLookup note = [&](std::span<const std::string> path) {
    if (std::ranges::find(groups, path[0]) == groups.end()) groups.push_back(path[0]);
    return Series::number(1);
  };
  Evaluator(expression, note, false).whole();
  return groups;
}

}  // namespace raddle::experiment
