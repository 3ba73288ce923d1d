// The operators of e on 64-bit integers, singles and doubles, and the eight that multioperations
// and multiprefixes know. One definition of what each computes serves constants, the interpreter
// and the checks. Values are words: a double its bits, a single its bits in the lower half.
// Arithmetic wraps around; comparisons give -1 for true and 0 for false; shifts by 64 and more
// leave nothing but, arithmetically, the sign. Whoever divides makes sure that it is not by zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace raddle::e {

enum class Type : std::uint8_t { kInt, kFloat, kDouble };  // in the order of C's conversions

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

enum class UnaryOperator : std::uint8_t {
  kNegate,
  kComplement,
  kNot,
  kConvert,  // to another type
  kAbs,
  kSqrt,
  // By the host alone.
  kSin,
  kCos,
  kExp,
  kLog,
};

enum class MultiOperator : std::uint8_t { kAdd, kSub, kAnd, kOr, kMax, kMaxU, kMin, kMinU };

// `type` is that of the operands.
std::int64_t apply(BinaryOperator op, Type type, std::int64_t left, std::int64_t right);
std::int64_t apply(UnaryOperator op, Type from, Type to, std::int64_t operand);
std::int64_t apply_fused(Type type, std::int64_t a, std::int64_t b, std::int64_t c);
std::int64_t apply(MultiOperator op, std::int64_t old_value, std::int64_t operand);

// The value that leaves every other as it is.
std::int64_t neutral_of(MultiOperator op);

bool is_comparison(BinaryOperator op);
bool divides(BinaryOperator op);
bool is_by_host(UnaryOperator op);
// Whether floating-point numbers have it, too.
bool takes_floats(BinaryOperator op);
std::optional<UnaryOperator> find_math_function(std::string_view name);
std::string_view name_of(Type type);  // "int", "float", "double"

// Words of floating-point numbers; every NaN has one pattern.
std::int64_t word_of(Type type, double value);
double double_of(Type type, std::int64_t word);
// The shortest decimal number that gives the word.
std::string number_text(Type type, std::int64_t word);

std::optional<MultiOperator> find_multi_operator(std::string_view name);
std::string_view name_of(MultiOperator op);

}  // namespace raddle::e
