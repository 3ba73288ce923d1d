#include "lang/e/operators.h"

#include <algorithm>
#include <array>
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

std::int64_t apply(BinaryOperator op, std::int64_t left, std::int64_t right) {
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

std::int64_t apply(UnaryOperator op, std::int64_t operand) {
  switch (op) {
    case UnaryOperator::kNegate: return number(0 - bits(operand));
    case UnaryOperator::kComplement: return ~operand;
    default: return truth(operand == 0);
  }
}

std::int64_t apply(MultiOperator op, std::int64_t old_value, std::int64_t operand) {
  constexpr std::array<BinaryOperator, 8> kBinary = {
      BinaryOperator::kAdd, BinaryOperator::kSub,  BinaryOperator::kAnd, BinaryOperator::kOr,
      BinaryOperator::kMax, BinaryOperator::kMaxU, BinaryOperator::kMin, BinaryOperator::kMinU};
  return apply(kBinary[static_cast<std::size_t>(op)], old_value, operand);
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
