#include "memory/replacement.h"

#include <bit>

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {
namespace {

// The next number of the xorshift64* sequence (Vigna 2016).
std::uint64_t next_random(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dULL;
}

}  // namespace

ReplacementState::ReplacementState(Replacement policy, std::uint32_t sets, std::uint32_t ways,
                                   std::uint64_t seed)
    // Zero is the one state that xorshift never leaves.
    : policy_(policy), ways_(ways), random_(seed == 0 ? ~std::uint64_t{0} : seed) {
  RADDLE_ASSERT(sets >= 1 && ways >= 1 && ways <= kMaxWays);
  switch (policy) {
    case Replacement::kLru:
    case Replacement::kFifo: state_.resize(std::size_t{sets} * ways); break;
    case Replacement::kTreePlru: state_.resize(sets); break;
    case Replacement::kRandom: break;
  }
  const std::uint32_t leaves = std::bit_ceil(ways);
  for (std::uint32_t way = 0; way < ways; ++way) {
    for (std::uint32_t node = leaves + way; node > 1; node /= 2) {
      const bool is_right = node % 2 == 1;
      const std::uint64_t parent = std::uint64_t{1} << node / 2;
      paths_[way].nodes |= parent;
      if (!is_right) paths_[way].away |= parent;
    }
  }
}

std::uint32_t ReplacementState::victim(std::uint32_t set, std::uint64_t allowed) {
  RADDLE_ASSERT((allowed & low_bits(ways_)) != 0);
  switch (policy_) {
    case Replacement::kLru:
    case Replacement::kFifo: return oldest(set, allowed);
    case Replacement::kTreePlru: return leaf(set, allowed);
    case Replacement::kRandom: break;
  }
  return any(allowed);
}

std::uint32_t ReplacementState::oldest(std::uint32_t set, std::uint64_t allowed) const {
  const std::uint64_t* stamps = &state_[std::size_t{set} * ways_];
  std::uint32_t best = 0;
  std::uint64_t best_stamp = ~std::uint64_t{0};
  for (std::uint32_t way = 0; way < ways_; ++way) {
    // Without branches, which nobody could foretell: a way that may not go looks youngest.
    const std::uint64_t stamp = stamps[way] | ((allowed >> way & 1) - 1);
    best = stamp < best_stamp ? way : best;
    best_stamp = stamp < best_stamp ? stamp : best_stamp;
  }
  return best;
}

// Follows the nodes, but never into a half without an allowed way.
std::uint32_t ReplacementState::leaf(std::uint32_t set, std::uint64_t allowed) const {
  std::uint32_t node = 1;
  std::uint32_t first = 0;
  for (std::uint32_t half = std::bit_ceil(ways_) / 2; half >= 1; half /= 2) {
    const bool left = (allowed >> first & low_bits(half)) != 0;
    const bool right = (allowed >> (first + half) & low_bits(half)) != 0;
    const bool goes_right = right && (!left || (state_[set] >> node & 1) != 0);
    node = 2 * node + (goes_right ? 1 : 0);
    if (goes_right) first += half;
  }
  return first;
}

std::uint32_t ReplacementState::any(std::uint64_t allowed) {
  const auto count = static_cast<std::uint64_t>(std::popcount(allowed));
  // The upper half of a number is the random one; its share of `count` is even enough.
  std::uint64_t skip = (next_random(random_) >> 32) * count >> 32;
  for (; skip > 0; --skip) allowed &= allowed - 1;
  return static_cast<std::uint32_t>(std::countr_zero(allowed));
}

}  // namespace raddle::memory
