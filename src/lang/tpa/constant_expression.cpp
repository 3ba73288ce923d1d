#include "lang/tpa/constant_expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <limits>

namespace raddle::tpa {

namespace {

struct BinaryOperator {
  std::string_view text;
  int precedence;
};
constexpr auto kOperators = std::to_array<BinaryOperator>({
    {"|", 1},
    {"^", 2},
    {"&", 3},
    {"<<", 4},
    {">>", 4},
    {"+", 5},
    {"-", 5},
    {"*", 6},
    {"/", 6},
    {"%", 6},
});
constexpr int kDeepest = 200;  // parentheses and signs in each other

class Reader {
 public:
  Reader(TokenCursor& cursor, const NameValue& value, const NameHint& hint)
      : cursor_(cursor), value_(value), hint_(hint) {}

  std::int64_t binary(int least) {
    std::int64_t left = unary();
    while (const BinaryOperator* found = next_operator(least)) {
      const Token at = cursor_.take();
      left = apply(at, left, binary(found->precedence + 1));
    }
    return left;
  }

 private:
  const BinaryOperator* next_operator(int least) const {
    for (const BinaryOperator& known : kOperators)
      if (cursor_.peek().is(known.text)) return known.precedence >= least ? &known : nullptr;
    return nullptr;
  }

  static std::int64_t apply(const Token& at, std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::uint64_t>(left);
    const auto b = static_cast<std::uint64_t>(right);
    const auto wrapped = [](std::uint64_t word) { return static_cast<std::int64_t>(word); };
    switch (at.text[0]) {
      case '|': return left | right;
      case '^': return left ^ right;
      case '&': return left & right;
      case '<': return wrapped(b < 64 ? a << b : 0);
      case '>': return left >> (b < 64 ? b : 63);
      case '+': return wrapped(a + b);
      case '-': return wrapped(a - b);
      case '*': return wrapped(a * b);
      default: break;
    }
    if (right == 0) TokenCursor::fail(at, "division by zero");
    if (right == -1) return at.text[0] == '/' ? wrapped(0 - a) : 0;
    return at.text[0] == '/' ? left / right : left % right;
  }

  std::int64_t unary() {
    const Token token = cursor_.peek();
    if (++depth_ > kDeepest) TokenCursor::fail(token, "the expression is nested too deeply");
    std::int64_t result = 0;
    if (cursor_.accept("-")) {
      const std::string_view next = cursor_.peek().text;
      const bool is_float =
          cursor_.peek().kind == TokenKind::kNumber && next.find('.') != std::string_view::npos;
      const int sign = next.ends_with('f') ? 31 : 63;
      result = is_float ? unary() ^ static_cast<std::int64_t>(std::uint64_t{1} << sign)
                        : static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(unary()));
    } else if (cursor_.accept("~")) {
      result = ~unary();
    } else if (cursor_.accept("(")) {
      result = binary(0);
      cursor_.expect(")");
    } else {
      result = primary();
    }
    --depth_;
    return result;
  }

  std::int64_t primary() {
    const Token token = cursor_.take();
    if (token.kind == TokenKind::kNumber) {
      if (const auto number = number_of(token.text)) return *number;
      TokenCursor::fail(token, fmt::format("{} is not a 64-bit number", shown(token)));
    }
    if (token.kind != TokenKind::kWord)
      TokenCursor::fail(token, fmt::format("expected a value, found {}", shown(token)));
    if (const auto value = value_(token.text)) return *value;
    TokenCursor::fail(token, fmt::format("{} is not declared", shown(token)), hint_(token.text));
  }

  TokenCursor& cursor_;
  const NameValue& value_;
  const NameHint& hint_;
  int depth_ = 0;
};

}  // namespace

std::int64_t read_expression(TokenCursor& cursor, const NameValue& value, const NameHint& hint) {
  return Reader(cursor, value, hint).binary(0);
}

namespace {

// A double, or a single where an f follows: its bits.
std::optional<std::int64_t> float_bits(std::string_view text) {
  const bool is_single = text.ends_with('f');
  if (is_single) text.remove_suffix(1);
  const auto parsed = [&](auto value) -> std::optional<decltype(value)> {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
  };
  if (is_single) {
    if (const auto value = parsed(0.0F)) return std::bit_cast<std::uint32_t>(*value);
  } else if (const auto value = parsed(0.0)) {
    return std::bit_cast<std::int64_t>(*value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> number_of(std::string_view text) {
  if (text.find('.') != std::string_view::npos) return float_bits(text);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
  if (base != 10) text.remove_prefix(2);
  std::uint64_t number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number, base);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace raddle::tpa
