#include "lang/cg/syntax/preprocessor_condition.h"

#include <fmt/format.h>

#include <array>

namespace raddle::cg {
namespace {

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr std::array<Operator, 18> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"|", 3},
                                                  {"^", 4},
                                                  {"&", 5},
                                                  {"==", 6},
                                                  {"!=", 6},
                                                  {"<", 7},
                                                  {">", 7},
                                                  {"<=", 7},
                                                  {">=", 7},
                                                  {"<<", 8},
                                                  {">>", 8},
                                                  {"+", 9},
                                                  {"-", 9},
                                                  {"*", 10},
                                                  {"/", 10},
                                                  {"%", 10}}};

struct Malformed {};

class Reader {
 public:
  Reader(std::span<const Token> tokens, Place place, Diagnostics& diagnostics)
      : tokens_(tokens), place_(place), diagnostics_(diagnostics) {}

  long long whole() {
    const long long value = conditional();
    if (!tokens_.empty()) fail(fmt::format("unexpected {} in a condition", describe(tokens_[0])));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& message) {
    diagnostics_.error(tokens_.empty() ? place_ : tokens_[0].place, message);
    throw Malformed{};
  }

  bool accept(std::string_view text) {
    if (tokens_.empty() || !tokens_[0].is(text)) return false;
    tokens_ = tokens_.subspan(1);
    return true;
  }

  long long conditional() {
    const long long condition = binary(1);
    if (!accept("?")) return condition;
    const long long then = conditional();
    if (!accept(":")) fail("':' is missing in a condition");
    const long long otherwise = conditional();
    return condition != 0 ? then : otherwise;
  }

  long long binary(int least) {
    long long left = unary();
    for (;;) {
      const Operator* found = nullptr;
      for (const Operator& candidate : kOperators) {
        if (!tokens_.empty() && tokens_[0].is(candidate.text)) found = &candidate;
      }
      if (found == nullptr || found->precedence < least) return left;
      tokens_ = tokens_.subspan(1);
      left = apply(found->text, left, binary(found->precedence + 1));
    }
  }

  long long apply(std::string_view op, long long a, long long b) {
    if (op == "||") return a != 0 || b != 0 ? 1 : 0;
    if (op == "&&") return a != 0 && b != 0 ? 1 : 0;
    if (op == "==") return a == b ? 1 : 0;
    if (op == "!=") return a != b ? 1 : 0;
    if (op == "<") return a < b ? 1 : 0;
    if (op == ">") return a > b ? 1 : 0;
    if (op == "<=") return a <= b ? 1 : 0;
    if (op == ">=") return a >= b ? 1 : 0;
    // Wrapping as unsigned: a condition must not have undefined behaviour.
    const auto x = static_cast<unsigned long long>(a);
    const auto y = static_cast<unsigned long long>(b);
    if (op == "+") return static_cast<long long>(x + y);
    if (op == "-") return static_cast<long long>(x - y);
    if (op == "*") return static_cast<long long>(x * y);
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "<<") return b < 0 || b > 63 ? 0 : static_cast<long long>(x << y);
    if (op == ">>") return a >> (b < 0 || b > 63 ? 63 : b);
    if (b == 0) fail("division by zero in a condition");
    if (b == -1) return op == "/" ? static_cast<long long>(0 - x) : 0;
    return op == "/" ? a / b : a % b;
  }

  long long unary() {
    if (++depth_ > 200) fail("the condition is nested too deeply");
    const long long value = unary_value();
    --depth_;
    return value;
  }

  long long unary_value() {
    if (accept("!")) return unary() == 0 ? 1 : 0;
    if (accept("-")) return static_cast<long long>(0 - static_cast<unsigned long long>(unary()));
    if (accept("+")) return unary();
    if (accept("~")) return ~unary();
    if (accept("(")) {
      const long long value = conditional();
      if (!accept(")")) fail("')' is missing in a condition");
      return value;
    }
    if (tokens_.empty()) fail("the condition is not complete");
    const Token& token = tokens_[0];
    if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kName)
      fail(fmt::format("unexpected {} in a condition", describe(token)));
    const auto value = token.kind == TokenKind::kInteger && token.number < 9e18
                           ? static_cast<long long>(token.number)
                           : 0;
    tokens_ = tokens_.subspan(1);
    return value;
  }

  std::span<const Token> tokens_;
  Place place_;
  Diagnostics& diagnostics_;
  int depth_ = 0;
};

}  // namespace

long long condition_value(std::span<const Token> tokens, Place place, Diagnostics& diagnostics) {
  try {
    return Reader(tokens, place, diagnostics).whole();
  } catch (const Malformed&) {
    return 0;
  }
}

}  // namespace raddle::cg
