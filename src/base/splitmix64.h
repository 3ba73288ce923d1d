// SplitMix64 (Steele, Lea and Flood 2014): random bits that are the same on every computer. Small
// and quick; not for secrets.
#pragma once

#include <cstdint>

namespace raddle {

// Well-mixed bits of a value: neighbouring values give unrelated ones.
constexpr std::uint64_t splitmix64(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// The next number of the sequence that starts at a seed.
constexpr std::uint64_t next_splitmix64(std::uint64_t& state) {
  const std::uint64_t bits = splitmix64(state);
  state += 0x9e3779b97f4a7c15;
  return bits;
}

}  // namespace raddle
