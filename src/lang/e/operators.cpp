#include "lang/e/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace raddle::e {
namespace {

constexpr std::array<std::string_view, 8> kMultiNames = {"ADD", "SUB",  "AND", "OR",
                                                         "MAX", "MAXU", "MIN", "MINU"};

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::int64_t truth(bool value) { return value ? -1 : 0; }

std::int64_t divide(std::int64_t left, std::int64_t right) {
  if (right == 0) return 0;  // of fibers that take no part
  if (right == -1) return number(0 - bits(left));
  return left / right;
}

std::int64_t remainder(std::int64_t left, std::int64_t right) {
  return right == 0 || right == -1 ? 0 : left % right;
}

std::int64_t apply_arithmetic(BinaryOperator op, std::int64_t left, std::int64_t right) {
  const bool far = bits(right) >= 64;
  const unsigned count = static_cast<unsigned>(far ? 63 : right);
  switch (op) {
    case BinaryOperator::kAdd: return number(bits(left) + bits(right));
    case BinaryOperator::kSub: return number(bits(left) - bits(right));
    case BinaryOperator::kMul: return number(bits(left) * bits(right));
    case BinaryOperator::kDiv: return divide(left, right);
    case BinaryOperator::kMod: return remainder(left, right);
    case BinaryOperator::kAnd: return left & right;
    case BinaryOperator::kOr: return left | right;
    case BinaryOperator::kXor: return left ^ right;
    case BinaryOperator::kShl: return far ? 0 : number(bits(left) << count);
    case BinaryOperator::kShr: return far ? 0 : number(bits(left) >> count);
    case BinaryOperator::kSar: return left >> count;
    case BinaryOperator::kMin: return std::min(left, right);
    case BinaryOperator::kMax: return std::max(left, right);
    case BinaryOperator::kMinU: return number(std::min(bits(left), bits(right)));
    default: return number(std::max(bits(left), bits(right)));
  }
}

}  // namespace

namespace {

std::int64_t apply_integer(BinaryOperator op, std::int64_t left, std::int64_t right) {
  switch (op) {
    case BinaryOperator::kEqual: return truth(left == right);
    case BinaryOperator::kNotEqual: return truth(left != right);
    case BinaryOperator::kLess: return truth(left < right);
    case BinaryOperator::kLessEqual: return truth(left <= right);
    case BinaryOperator::kGreater: return truth(left > right);
    case BinaryOperator::kGreaterEqual: return truth(left >= right);
    case BinaryOperator::kLessU: return truth(bits(left) < bits(right));
    case BinaryOperator::kLessEqualU: return truth(bits(left) <= bits(right));
    case BinaryOperator::kGreaterU: return truth(bits(left) > bits(right));
    case BinaryOperator::kGreaterEqualU: return truth(bits(left) >= bits(right));
    case BinaryOperator::kLogicalAnd: return truth(left != 0 && right != 0);
    case BinaryOperator::kLogicalOr: return truth(left != 0 || right != 0);
    default: return apply_arithmetic(op, left, right);
  }
}

std::int64_t apply_integer(UnaryOperator op, std::int64_t operand) {
  switch (op) {
    case UnaryOperator::kNegate: return number(0 - bits(operand));
    case UnaryOperator::kComplement: return ~operand;
    case UnaryOperator::kAbs: return operand < 0 ? number(0 - bits(operand)) : operand;
    default: return truth(operand == 0);
  }
}

// -0 is below +0, and a NaN gives way to a number.
template <class T>
T lesser(T a, T b) {
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

template <class T>
std::int64_t apply_float(BinaryOperator op, Type type, T a, T b) {
  switch (op) {
    case BinaryOperator::kAdd: return word_of(type, a + b);
    case BinaryOperator::kSub: return word_of(type, a - b);
    case BinaryOperator::kMul: return word_of(type, a * b);
    case BinaryOperator::kDiv: return word_of(type, a / b);
    case BinaryOperator::kMin: return word_of(type, lesser(a, b));
    case BinaryOperator::kMax: return word_of(type, -lesser(-a, -b));
    case BinaryOperator::kEqual: return truth(a == b);
    case BinaryOperator::kNotEqual: return truth(a != b);
    case BinaryOperator::kLess: return truth(a < b);
    case BinaryOperator::kLessEqual: return truth(a <= b);
    case BinaryOperator::kGreater: return truth(a > b);
    default: return truth(a >= b);
  }
}

template <class T>
T apply_math(UnaryOperator op, T a) {
  switch (op) {
    case UnaryOperator::kNegate: return -a;
    case UnaryOperator::kAbs: return std::fabs(a);
    case UnaryOperator::kSqrt: return std::sqrt(a);
    case UnaryOperator::kSin: return std::sin(a);
    case UnaryOperator::kCos: return std::cos(a);
    case UnaryOperator::kExp: return std::exp(a);
    default: return std::log(a);
  }
}

std::int64_t truncated(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value != value) return 0;
  if (value >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (value < -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

std::int64_t convert(Type from, Type to, std::int64_t word) {
  if (from == to) return word;
  if (to == Type::kInt) return truncated(double_of(from, word));
  // An integer is rounded once, also to a single.
  if (from == Type::kInt && to == Type::kFloat) return word_of(to, static_cast<float>(word));
  return word_of(to, from == Type::kInt ? static_cast<double>(word) : double_of(from, word));
}

}  // namespace

std::int64_t apply(BinaryOperator op, Type type, std::int64_t left, std::int64_t right) {
  if (type == Type::kInt) return apply_integer(op, left, right);
  const double a = double_of(type, left);
  const double b = double_of(type, right);
  if (type == Type::kDouble) return apply_float(op, type, a, b);
  return apply_float(op, type, static_cast<float>(a), static_cast<float>(b));
}

std::int64_t apply(UnaryOperator op, Type from, Type to, std::int64_t operand) {
  if (op == UnaryOperator::kConvert) return convert(from, to, operand);
  if (from == Type::kInt) return apply_integer(op, operand);
  const double a = double_of(from, operand);
  if (from == Type::kDouble) return word_of(to, apply_math(op, a));
  return word_of(to, apply_math(op, static_cast<float>(a)));
}

std::int64_t apply_fused(Type type, std::int64_t a, std::int64_t b, std::int64_t c) {
  const double x = double_of(type, a);
  const double y = double_of(type, b);
  const double z = double_of(type, c);
  if (type == Type::kDouble) return word_of(type, std::fma(x, y, z));
  return word_of(type,
                 std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
}

std::int64_t word_of(Type type, double value) {
  if (type == Type::kDouble) {
    return value != value ? std::int64_t{0x7ff8'0000'0000'0000}
                          : std::bit_cast<std::int64_t>(value);
  }
  if (value != value) return 0x7fc0'0000;
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

double double_of(Type type, std::int64_t word) {
  if (type == Type::kDouble) return std::bit_cast<double>(word);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(word)));
}

std::string number_text(Type type, std::int64_t word) {
  if (type == Type::kInt) return std::to_string(word);
  const double value = double_of(type, word);
  return type == Type::kDouble ? fmt::format("{}", value)
                               : fmt::format("{}", static_cast<float>(value));
}

bool is_by_host(UnaryOperator op) { return op >= UnaryOperator::kSin; }

bool takes_floats(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd:
    case BinaryOperator::kSub:
    case BinaryOperator::kMul:
    case BinaryOperator::kDiv:
    case BinaryOperator::kMin:
    case BinaryOperator::kMax: return true;
    default: return op >= BinaryOperator::kEqual && op <= BinaryOperator::kGreaterEqual;
  }
}

std::optional<UnaryOperator> find_math_function(std::string_view name) {
  struct Row {
    std::string_view name;
    UnaryOperator op;
  };
  constexpr std::array<Row, 6> kRows = {{{"abs", UnaryOperator::kAbs},
                                         {"sqrt", UnaryOperator::kSqrt},
                                         {"sin", UnaryOperator::kSin},
                                         {"cos", UnaryOperator::kCos},
                                         {"exp", UnaryOperator::kExp},
                                         {"log", UnaryOperator::kLog}}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

std::string_view name_of(Type type) {
  constexpr std::array<std::string_view, 3> kNames = {"int", "float", "double"};
  return kNames[static_cast<std::size_t>(type)];
}

std::int64_t apply(MultiOperator op, std::int64_t old_value, std::int64_t operand) {
  constexpr std::array<BinaryOperator, 8> kBinary = {
      BinaryOperator::kAdd, BinaryOperator::kSub,  BinaryOperator::kAnd, BinaryOperator::kOr,
      BinaryOperator::kMax, BinaryOperator::kMaxU, BinaryOperator::kMin, BinaryOperator::kMinU};
  return apply_integer(kBinary[static_cast<std::size_t>(op)], old_value, operand);
}

std::int64_t neutral_of(MultiOperator op) {
  switch (op) {
    case MultiOperator::kAnd:
    case MultiOperator::kMinU: return -1;
    case MultiOperator::kMax: return std::numeric_limits<std::int64_t>::min();
    case MultiOperator::kMin: return std::numeric_limits<std::int64_t>::max();
    default: return 0;
  }
}

bool is_comparison(BinaryOperator op) {
  return op >= BinaryOperator::kEqual && op <= BinaryOperator::kGreaterEqualU;
}

bool divides(BinaryOperator op) { return op == BinaryOperator::kDiv || op == BinaryOperator::kMod; }

std::optional<MultiOperator> find_multi_operator(std::string_view name) {
  for (std::size_t i = 0; i < kMultiNames.size(); ++i) {
    if (kMultiNames[i] == name) return static_cast<MultiOperator>(i);
  }
  return std::nullopt;
}

std::string_view name_of(MultiOperator op) { return kMultiNames[static_cast<std::size_t>(op)]; }

}  // namespace raddle::e
