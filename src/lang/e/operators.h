// The operators of e on 64-bit integers, and the eight that multioperations and multiprefixes know.
// One definition of what each computes serves constants, the interpreter and the checks.
// Arithmetic wraps around; comparisons give -1 for true and 0 for false; shifts by 64 and more
// leave nothing but, arithmetically, the sign. Whoever divides makes sure that it is not by zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace raddle::e {

enum class BinaryOperator : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,  // logical, >>>
  kSar,  // arithmetic, >>
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLessU,
  kLessEqualU,
  kGreaterU,
  kGreaterEqualU,
  kMin,
  kMax,
  kMinU,
  kMaxU,
  kLogicalAnd,
  kLogicalOr,
};

enum class UnaryOperator : std::uint8_t { kNegate, kComplement, kNot };

enum class MultiOperator : std::uint8_t { kAdd, kSub, kAnd, kOr, kMax, kMaxU, kMin, kMinU };

std::int64_t apply(BinaryOperator op, std::int64_t left, std::int64_t right);
std::int64_t apply(UnaryOperator op, std::int64_t operand);
std::int64_t apply(MultiOperator op, std::int64_t old_value, std::int64_t operand);

// The value that leaves every other as it is.
std::int64_t neutral_of(MultiOperator op);

bool is_comparison(BinaryOperator op);
bool divides(BinaryOperator op);
std::optional<MultiOperator> find_multi_operator(std::string_view name);
std::string_view name_of(MultiOperator op);

}  // namespace raddle::e
