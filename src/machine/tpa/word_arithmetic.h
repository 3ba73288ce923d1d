// The helpers that the expressions of isa.def are written with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

constexpr Word all_ones_if(bool condition) { return condition ? ~Word{0} : 0; }

// By zero they give 0: whoever executes a division has looked before.
constexpr Word quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return Word{0} - static_cast<Word>(a);  // the smallest number wraps
  return static_cast<Word>(a / b);
}
constexpr Word remainder(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  return static_cast<Word>(a % b);
}
constexpr Word shifted_arithmetically(std::int64_t a, Word b) {
  return static_cast<Word>(a >> (b < 64 ? b : 63));
}

// Floating point: a double is a word, a single the lower half of one.
constexpr double as_double(Word a) { return std::bit_cast<double>(a); }
constexpr float as_single(Word a) { return std::bit_cast<float>(static_cast<std::uint32_t>(a)); }
// Every NaN has one pattern, so that results do not depend on the order in which a host takes
// operands.
constexpr Word word_of(double value) {
  return value == value ? std::bit_cast<Word>(value) : Word{0x7ff8'0000'0000'0000};
}
constexpr Word word_of(float value) {
  return value == value ? std::bit_cast<std::uint32_t>(value) : Word{0x7fc0'0000};
}
// IEEE 754's minNum and maxNum, with -0 below +0.
template <class T>
inline T smaller(T a, T b) {
  const bool first = a < b || (a == b && std::signbit(a));
  return std::isnan(b) || first ? a : b;
}
template <class T>
inline T larger(T a, T b) {
  const bool first = a > b || (a == b && !std::signbit(a));
  return std::isnan(b) || first ? a : b;
}
constexpr Word truncated(double a) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (a != a) return 0;
  if (a >= kLimit) return ~(Word{1} << 63);
  if (a < -kLimit) return Word{1} << 63;
  return static_cast<Word>(static_cast<std::int64_t>(a));
}

}  // namespace raddle::machine::tpa
