#include "memory/scratchpad.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {
namespace {

constexpr std::uint32_t kMaxWordsPerLane = 16;

// The distinct words that lanes want, by bank.
class WordsByBank {
 public:
  explicit WordsByBank(std::uint32_t banks)
      : banks_(banks), mask_(is_power_of_two(banks) ? banks - 1 : 0) {}

  void want(std::uint64_t word) {
    const auto bank = static_cast<std::uint32_t>(mask_ != 0 ? word & mask_ : word % banks_);
    const std::uint64_t bit = std::uint64_t{1} << bank;
    std::uint16_t next = kEnd;
    if ((used_ & bit) != 0) {
      for (std::uint16_t i = first_[bank]; i != kEnd; i = next_[i]) {
        if (words_[i] == word) return;
      }
      next = first_[bank];
    } else {
      used_ |= bit;
      count_[bank] = 0;
    }
    words_[distinct_] = word;
    next_[distinct_] = next;
    first_[bank] = static_cast<std::uint16_t>(distinct_++);
    most_ = std::max<std::uint32_t>(most_, ++count_[bank]);
  }

  std::uint32_t most() const { return most_; }
  std::uint32_t distinct() const { return distinct_; }

 private:
  static constexpr std::uint16_t kEnd = 0xffff;

  std::uint32_t banks_;
  std::uint64_t mask_;
  std::uint64_t used_ = 0;  // banks with words; what the others hold means nothing
  std::uint32_t most_ = 0;
  std::uint32_t distinct_ = 0;
  std::array<std::uint16_t, 64> first_;  // by bank: its last word
  std::array<std::uint16_t, 64> count_;
  std::array<std::uint64_t, kMaxLanes * kMaxWordsPerLane> words_;
  std::array<std::uint16_t, kMaxLanes * kMaxWordsPerLane> next_;  // of the same bank
};

BankPasses count_group(const BankShape& shape, const LaneAddresses& lanes, std::uint64_t group,
                       std::uint32_t words) {
  const auto shift = std::countr_zero(shape.bank_bytes.count());
  WordsByBank wanted(shape.banks);
  for (std::uint64_t left = group; left != 0; left &= left - 1) {
    const std::uint64_t word =
        lanes.address[static_cast<std::size_t>(std::countr_zero(left))] >> shift;
    for (std::uint32_t w = 0; w < words; ++w) wanted.want(word + w);
  }
  return {wanted.most(), (wanted.distinct() + shape.banks - 1) / shape.banks};
}

}  // namespace

void BankShape::check() const {
  if (banks < 1 || banks > 64)
    throw Error(fmt::format("invalid number of scratchpad banks: {}", banks), {}, "take 1 to 64");
  if (!std::has_single_bit(bank_bytes.count())) {
    throw Error(fmt::format("invalid width of scratchpad banks: {} bytes", bank_bytes.count()), {},
                "take a power of two");
  }
}

BankPasses count_passes(const BankShape& shape, const LaneAddresses& lanes) {
  const std::uint32_t words = std::max(1U, lanes.bytes / shape.bank_bytes.count());
  RADDLE_ASSERT(words <= kMaxWordsPerLane && lanes.address.size() <= kMaxLanes);
  if (shape.wide == WideAccess::kTogether) return count_group(shape, lanes, lanes.mask, words);
  const auto count = static_cast<std::uint32_t>(lanes.address.size());
  const std::uint32_t group = std::max(1U, shape.banks / words);
  const std::uint32_t part = (count + shape.parts - 1) / shape.parts;
  // Words one after the other, no more than there are banks: one pass a group. Parts side by side
  // must not share any, nor fill gaps.
  const bool fits =
      lanes.bytes <= shape.bank_bytes.count() || lanes.bytes % shape.bank_bytes.count() == 0;
  const bool apart =
      shape.parts == 1 || (lanes.bytes >= shape.bank_bytes.count() && part % group == 0);
  if (fits && apart && words <= shape.banks && lanes.is_consecutive()) {
    const std::uint32_t passes = (count + group - 1) / group;
    return {passes, passes};
  }
  BankPasses sum;
  for (std::uint32_t first = 0; first < part; first += group) {
    std::uint64_t members = 0;
    for (std::uint32_t base = 0; base < count; base += part)
      members |= low_bits(std::min(base + first + group, base + part)) & ~low_bits(base + first);
    members &= lanes.mask;
    if (members == 0) continue;
    const BankPasses passes = count_group(shape, lanes, members, words);
    sum.passes += passes.passes;
    sum.fewest += passes.fewest;
  }
  return sum;
}

Scratchpad::Scratchpad(const ScratchpadParameters& parameters) : parameters_(parameters) {
  parameters.shape.check();
  if (parameters.latency < Cycle(1))
    throw Error("a scratchpad access cannot take 0 cycles", {}, "take at least 1");
}

Cycle Scratchpad::access(const LaneAddresses& lanes, Cycle now) {
  RADDLE_ASSERT(accepts(now));
  const BankPasses needed = count_passes(parameters_.shape, lanes);
  const Cycle passes(std::max(1U, needed.passes));
  const auto active = static_cast<std::uint64_t>(std::popcount(lanes.mask));
  ++stats_.accesses;
  stats_.lanes += active;
  stats_.bytes += active * lanes.bytes;
  stats_.passes += passes.count();
  stats_.conflicts += needed.conflicts();
  next_accept_ = now + passes;
  return now + passes - Cycle(1) + parameters_.latency;
}

}  // namespace raddle::memory
