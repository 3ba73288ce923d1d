// IEEE half (f16) and bfloat16 as 16-bit patterns, to and from float, rounding to nearest even.
// Every function is static: this header is compiled for several instruction sets, and no version
// may stand in for another.
#pragma once

#include <bit>
#include <cstdint>

namespace raddle::kernel::exec {

static inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu;
  const std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t bits =
      exponent == 31 ? 0x7f800000u | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
  return std::bit_cast<float>(bits | sign);
}

// Rounds a value that is exact in double; going through float first would round twice.
static inline std::uint16_t double_to_half(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const double magnitude = std::bit_cast<double>(bits & 0x7fffffffffffffffull);
  if (magnitude != magnitude) return 0x7fff;
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x1p-14) {
    // Adding 2^28 leaves the multiple of 2^-24 in the low bits, rounded by the addition itself.
    const double shifted = magnitude + 0x1p28;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint64_t>(shifted) & 0x7ffu));
  }
  std::uint64_t rounded = std::bit_cast<std::uint64_t>(magnitude);
  rounded +=
      0x1ffffffffffull + (rounded >> 42 & 1);  // half an ulp of the 10-bit fraction, ties to even
  const std::uint64_t exponent = (rounded >> 52) - 1008;
  return static_cast<std::uint16_t>(sign | exponent << 10 | (rounded >> 42 & 0x3ffu));
}

static inline std::uint16_t float_to_half(float value) {
  return double_to_half(static_cast<double>(value));
}

static inline float bfloat_to_float(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// Rounds a value that is exact in double, like double_to_half.
static inline std::uint16_t double_to_bfloat(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const double magnitude = std::bit_cast<double>(bits & 0x7fffffffffffffffull);
  if (magnitude != magnitude) return 0x7fff;
  if (magnitude >= 0x1.ffp127) return static_cast<std::uint16_t>(sign | 0x7f80u);
  if (magnitude < 0x1p-126) {
    // Adding 2^-81 leaves the multiple of 2^-133 in the low bits, rounded by the addition itself.
    const double shifted = magnitude + 0x1p-81;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint64_t>(shifted) & 0xffu));
  }
  std::uint64_t rounded = std::bit_cast<std::uint64_t>(magnitude);
  rounded +=
      0xfffffffffffull + (rounded >> 45 & 1);  // half an ulp of the 7-bit fraction, ties to even
  const std::uint64_t exponent = (rounded >> 52) - 896;
  return static_cast<std::uint16_t>(sign | exponent << 7 | (rounded >> 45 & 0x7fu));
}

static inline std::uint16_t float_to_bfloat(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return 0x7fff;
  bits += 0x7fffu + (bits >> 16 & 1);
  return static_cast<std::uint16_t>(bits >> 16);
}

}  // namespace raddle::kernel::exec
