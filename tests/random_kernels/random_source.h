// Random choices that are the same on every platform for the same seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/splitmix64.h"

namespace raddle::random_kernels {

class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x1234567) {}
  std::uint64_t bits() { return next_splitmix64(state_); }
  int below(int limit) { return static_cast<int>(bits() % static_cast<std::uint64_t>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T, std::size_t N>
  const T& pick(const std::array<T, N>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace raddle::random_kernels
