#include "exact_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace raddle::kernel::exec {
namespace {

struct Format {
  int bytes;
  int fraction_bits;
  int exponent_bits;
  std::uint64_t sign() const { return std::uint64_t{1} << (bytes * 8 - 1); }
  std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
};

Format format_of(Type type) {
  switch (type) {
    case Type::kF16: return {2, 10, 5};
    case Type::kBF16: return {2, 7, 8};
    case Type::kF32: return {4, 23, 8};
    default: return {8, 52, 11};
  }
}

// Normal numbers of the 113-bit format: no loop, because rounding asks for many.
Quad power_of_two(int exponent) {
  __extension__ typedef unsigned __int128 Pattern;
  return std::bit_cast<Quad>(static_cast<Pattern>(exponent + 16383) << 112);
}

// The magnitude of a positive finite pattern; one past the largest gives the first power of two
// that does not fit.
Quad magnitude(const Format& format, std::uint64_t pattern) {
  const auto exponent = static_cast<int>(pattern >> format.fraction_bits);
  const std::uint64_t fraction = pattern & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const Quad significand = static_cast<Quad>(
      exponent == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction_bits);
  return significand * power_of_two(std::max(exponent, 1) - bias - format.fraction_bits);
}

bool negative(Quad value) { return __builtin_signbit(static_cast<double>(value)) != 0; }

// The larger rest decides when two numbers share their value.
bool less(const Exact& exact, Quad other) {
  return exact.value < other || (exact.value == other && exact.rest < 0);
}

}  // namespace

Quad quad_of(Type type, std::uint64_t bits) {
  const Format format = format_of(type);
  const std::uint64_t pattern = bits & (format.sign() - 1);
  const bool minus = (bits & format.sign()) != 0;
  if (pattern > format.infinity()) return static_cast<Quad>(std::nan(""));
  if (pattern == format.infinity()) return static_cast<Quad>(minus ? -INFINITY : INFINITY);
  const Quad value = magnitude(format, pattern);
  return minus ? -value : value;
}

Exact exact_sum(Quad a, Quad b) {
  const Quad sum = a + b;
  const Quad part = sum - a;
  const Quad rest = (a - (sum - part)) + (b - part);
  return {sum, rest > 0 ? 1 : rest < 0 ? -1 : 0};
}

Exact exact_fma(Quad a, Quad b, Quad c) { return exact_sum(a * b, c); }

Exact exact_quotient(Quad a, Quad b) {
  const Quad quotient = a / b;
  // 113 bits of quotient times 53 bits of divisor do not fit: the quotient is cut to its upper part
  // first.
  const Quad upper = static_cast<Quad>(static_cast<double>(quotient));
  const Quad left = a - upper * b;  // exact
  if (!(upper == upper) || upper - upper != 0 || upper == 0) return {quotient, 0};
  const Quad correction = left / b;
  return {upper, correction > 0 ? 1 : correction < 0 ? -1 : 0};
}

Exact exact_root(Quad a) {
  const double nearest = std::sqrt(static_cast<double>(a));
  const Quad root = static_cast<Quad>(nearest);
  if (!(a > 0) || a - a != 0) return {root, 0};
  const Quad left = a - root * root;  // exact
  return {root, left > 0 ? 1 : left < 0 ? -1 : 0};
}

std::uint64_t round_exact(Type type, const Exact& exact, Rounding rounding) {
  const Format format = format_of(type);
  if (!(exact.value == exact.value)) return format.infinity() + 1;
  const bool minus = negative(exact.value) || (exact.value == 0 && exact.rest < 0);
  const std::uint64_t sign = minus ? format.sign() : 0;
  const Exact positive{minus ? -exact.value : exact.value, minus ? -exact.rest : exact.rest};
  if (positive.value - positive.value != 0) return sign | format.infinity();
  // The largest pattern not above the number: found by halving, since patterns are ordered like
  // their values.
  std::uint64_t below = 0;
  std::uint64_t above = format.infinity() + 1;
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    if (less(positive, magnitude(format, middle))) {
      above = middle;
    } else {
      below = middle;
    }
  }
  const Quad lower = magnitude(format, below);
  const bool is_exact = positive.value == lower && positive.rest == 0;
  // Beyond the range everything up to infinity rounds like the number just below it.
  const std::uint64_t largest = format.infinity() - 1;
  const bool overflow = below > largest;
  if (overflow) below = largest;
  if (is_exact && !overflow) return sign | below;
  const bool away = rounding == Rounding::kUp     ? !minus
                    : rounding == Rounding::kDown ? minus
                                                  : false;
  if (rounding == Rounding::kZero) return sign | below;
  if (rounding == Rounding::kUp || rounding == Rounding::kDown)
    return sign | (away ? below + 1 : below);
  if (overflow) return sign | format.infinity();
  const Quad middle = (lower + magnitude(format, below + 1)) / 2;
  const bool tie = positive.value == middle && positive.rest == 0;
  if (tie) return sign | (below + (below & 1));
  return sign | (less(positive, middle) ? below : below + 1);
}

Quad round_to_whole(Quad value, Rounding rounding) {
  const Quad large = power_of_two(100);
  if (!(value < large && value > -large)) return value;
  __extension__ typedef __int128 Whole;
  const auto towards_zero = static_cast<Whole>(value);
  const Quad cut = static_cast<Quad>(towards_zero);
  const Quad left = value - cut;
  Quad result = cut;
  if (rounding == Rounding::kDownInt && left < 0) result = cut - 1;
  if (rounding == Rounding::kUpInt && left > 0) result = cut + 1;
  if (rounding == Rounding::kNearestInt) {
    const bool odd = (towards_zero & 1) != 0;
    if (left > Quad(0.5) || (left == Quad(0.5) && odd)) result = cut + 1;
    if (left < Quad(-0.5) || (left == Quad(-0.5) && odd)) result = cut - 1;
  }
  return result == 0 && negative(value) ? -Quad(0) : result;
}

std::uint64_t flushed_bits(Type type, std::uint64_t bits) {
  const Format format = format_of(type);
  return (bits & format.infinity()) == 0 ? bits & format.sign() : bits;
}

}  // namespace raddle::kernel::exec
