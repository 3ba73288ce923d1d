// Seeded inputs: the same seed gives the same numbers with every compiler and library, which the
// standard's distributions do not promise. A 64-bit linear congruential generator (Knuth's MMIX
// multiplier) of which the upper half is used.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_RANDOM_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace benchmark {

class Random {
 public:
  // Neighbouring seeds begin far apart.
  explicit Random(std::uint64_t seed) : state_((seed + 1) * 0x9e3779b97f4a7c15u) { next(); }

  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

  // 0 … bound - 1.
  int below(int bound) {
    return static_cast<int>(static_cast<std::uint64_t>(next()) * static_cast<unsigned>(bound) >>
                            32);
  }

  // From `low` up to `high`, in steps of 2^-24 of the range.
  float uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(next() >> 8) * 0x1p-24f);
  }

  std::vector<float> floats(std::size_t count, float low, float high) {
    std::vector<float> values(count);
    for (float& value : values) value = uniform(low, high);
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace benchmark

#endif
