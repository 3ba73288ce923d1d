// Two questions about bits that the hot paths ask: they are answered in a few instructions on every
// host, also on one whose compiler calls a function to count bits.
#pragma once

#include <cstdint>

namespace raddle::memory {

// A word with so many of its lowest bits set; all 64 from 64 on.
constexpr std::uint64_t low_bits(std::uint64_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

constexpr bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace raddle::memory
