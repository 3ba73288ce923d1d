#include "memory/scratchpad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "base/address.h"
#include "base/error.h"

namespace raddle::memory {
namespace {

constexpr std::uint64_t kWarp = 0xffffffff;

std::vector<std::uint64_t> strided(std::uint64_t stride, std::uint64_t first = 0,
                                   std::size_t lanes = 32) {
  std::vector<std::uint64_t> address(lanes);
  for (std::size_t i = 0; i < lanes; ++i) address[i] = first + i * stride;
  return address;
}

BankPasses passes_of(const std::vector<std::uint64_t>& address, std::uint32_t bytes,
                     std::uint64_t mask = kWarp, BankShape shape = {}) {
  return count_passes(shape, {address, mask, bytes});
}

TEST(BankPasses, FollowFromTheStride) {
  EXPECT_EQ(passes_of(strided(4), 4).passes, 1U);
  EXPECT_EQ(passes_of(strided(0), 4).passes, 1U) << "one word is broadcast";
  EXPECT_EQ(passes_of(strided(8), 4).passes, 2U);
  EXPECT_EQ(passes_of(strided(12), 4).passes, 1U) << "an odd number of words";
  EXPECT_EQ(passes_of(strided(128), 4).passes, 32U);
  EXPECT_EQ(passes_of(strided(132), 4).passes, 1U) << "a padded row";
  EXPECT_EQ(passes_of(strided(1), 1).passes, 1U) << "four lanes share a word";
  EXPECT_EQ(passes_of(strided(2), 2).passes, 1U);
}

TEST(BankPasses, CountOnlyLanesThatTakePart) {
  EXPECT_EQ(passes_of(strided(128), 4, 0).passes, 0U);
  EXPECT_EQ(passes_of(strided(128), 4, 0x80000001).passes, 2U);
  EXPECT_EQ(passes_of(strided(128), 4, 0x00000700).passes, 3U);
}

TEST(BankPasses, OfWideAccessesGoByHalfAndQuarterWarps) {
  EXPECT_EQ(passes_of(strided(8), 8).passes, 2U);
  EXPECT_EQ(passes_of(strided(8), 8).conflicts(), 0U);
  EXPECT_EQ(passes_of(strided(16), 16).passes, 4U);
  EXPECT_EQ(passes_of(strided(16), 16).conflicts(), 0U);
  EXPECT_EQ(passes_of(strided(16), 8).passes, 4U) << "every half warp twice";
  EXPECT_EQ(passes_of(strided(16), 8).conflicts(), 2U);
  EXPECT_EQ(passes_of(strided(8), 8, 0x0000ffff).passes, 1U) << "nobody in the second half";
}

TEST(BankPasses, OfWideAccessesTogetherShareWordsAcrossTheWarp) {
  const BankShape together{32, ShortBytes(4), WideAccess::kTogether};
  EXPECT_EQ(passes_of(strided(0), 8, kWarp).passes, 2U);
  EXPECT_EQ(passes_of(strided(0), 8, kWarp, together).passes, 1U);
  EXPECT_EQ(passes_of(strided(8), 8, kWarp, together).passes, 2U);
  EXPECT_EQ(passes_of(strided(8), 8, kWarp, together).conflicts(), 0U);
  EXPECT_EQ(passes_of(strided(16), 8, kWarp, together).passes, 4U);
  EXPECT_EQ(passes_of(strided(16), 8, kWarp, together).conflicts(), 2U);
}

TEST(BankPasses, OfBanksOfEightBytesServeTwoNeighboursAtOnce) {
  const BankShape kepler{32, ShortBytes(8)};
  EXPECT_EQ(passes_of(strided(8), 8, kWarp, kepler).passes, 1U);
  EXPECT_EQ(passes_of(strided(8), 4, kWarp, kepler).passes, 1U);
  EXPECT_EQ(passes_of(strided(128), 4, kWarp, kepler).passes, 16U);
  EXPECT_EQ(passes_of(strided(16), 16, kWarp, kepler).passes, 2U);
}

TEST(BankPasses, WorkForOtherNumbersOfBanksAndLanes) {
  EXPECT_EQ(passes_of(strided(4, 0, 64), 4, ~std::uint64_t{0}, {64, ShortBytes(4)}).passes, 1U);
  EXPECT_EQ(passes_of(strided(4, 0, 64), 4, ~std::uint64_t{0}, {32, ShortBytes(4)}).passes, 2U);
  EXPECT_EQ(passes_of(strided(4, 0, 16), 4, 0xffff, {16, ShortBytes(4)}).passes, 1U);
  EXPECT_EQ(passes_of(strided(12, 0, 12), 4, 0xfff, {12, ShortBytes(4)}).passes, 3U)
      << "no power of two";
  EXPECT_EQ(passes_of(strided(4), 4, kWarp, {1, ShortBytes(4)}).passes, 32U);
}

TEST(BankPasses, OfPartsSideBySideShareWordsBetweenThem) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const BankShape one{32, ShortBytes(4)}, two{32, ShortBytes(4), WideAccess::kInTurns, 2};
  EXPECT_EQ(passes_of(strided(0, 0, 64), 4, kAll, one).passes, 2U);
  EXPECT_EQ(passes_of(strided(0, 0, 64), 4, kAll, two).passes, 1U) << "one word for both";
  EXPECT_EQ(passes_of(strided(0, 0, 64), 8, kAll, two).passes, 2U) << "two turns, as of 32 lanes";
  EXPECT_EQ(passes_of(strided(4, 0, 64), 4, kAll, two).passes, 2U) << "64 words";
  EXPECT_EQ(passes_of(strided(4, 0, 64), 4, kWarp, two).passes, 1U) << "nobody in the second";
  EXPECT_EQ(passes_of(strided(4, 0, 64), 4, kWarp << 32, two).passes, 1U);
}

// Compares every pair of lanes, as the definition has it: per group and bank, the distinct words.
BankPasses naive(const BankShape& shape, const std::vector<std::uint64_t>& address,
                 std::uint64_t mask, std::uint32_t bytes) {
  const std::uint32_t words =
      bytes < shape.bank_bytes.count() ? 1 : bytes / shape.bank_bytes.count();
  const std::size_t group = shape.wide == WideAccess::kTogether
                                ? address.size()
                                : std::max<std::size_t>(1, shape.banks / words);
  const std::size_t part = (address.size() + shape.parts - 1) / shape.parts;
  BankPasses sum;
  for (std::size_t first = 0; first < part; first += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> by_bank;
    std::size_t distinct = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < address.size(); ++i) {
      const bool has_its_turn = i % part >= first && i % part < first + group;
      if (!has_its_turn || (mask >> i & 1) == 0) continue;
      for (std::uint32_t w = 0; w < words; ++w) {
        const std::uint64_t word = Address(address[i]) / shape.bank_bytes + w;
        distinct += by_bank[word % shape.banks].insert(word).second ? 1 : 0;
        most = std::max(most, by_bank[word % shape.banks].size());
      }
    }
    sum.passes += static_cast<std::uint32_t>(most);
    sum.fewest += static_cast<std::uint32_t>((distinct + shape.banks - 1) / shape.banks);
  }
  return sum;
}

TEST(BankPasses, AgreeWithTheDefinitionOnRandomAddresses) {
  std::mt19937_64 random(19);
  const auto pick = [&](auto... values) {
    const std::array choice{values...};
    return choice[random() % choice.size()];
  };
  for (int trial = 0; trial < 20000; ++trial) {
    const BankShape shape{pick(32U, 32U, 16U, 64U, 12U, 1U), ShortBytes(pick(4U, 4U, 8U)),
                          pick(WideAccess::kInTurns, WideAccess::kTogether), pick(1U, 1U, 2U)};
    const std::uint32_t bytes = pick(1U, 2U, 4U, 8U, 16U, 12U, 24U);
    std::vector<std::uint64_t> address(pick(32U, 16U, 64U, 5U));
    const std::uint64_t range = pick(4U, 64U, 1024U);
    const std::uint64_t stride = pick(0U, 0U, 1U, 2U, 16U, 33U);  // 0: scattered
    const std::uint64_t first = random() % range;
    for (std::size_t i = 0; i < address.size(); ++i)
      address[i] = (stride == 0 ? random() % range : first + i * stride) * bytes;
    const std::uint64_t lanes = low_bits(address.size());
    const std::uint64_t mask = random() % 2 == 0 ? lanes : random() & lanes;
    const BankPasses found = count_passes(shape, {address, mask, bytes});
    const BankPasses expected = naive(shape, address, mask, bytes);
    ASSERT_EQ(found.passes, expected.passes) << "trial " << trial;
    ASSERT_EQ(found.fewest, expected.fewest) << "trial " << trial;
  }
}

class ScratchpadTest : public testing::Test {
 public:
  // Issues at a cycle and says when the data are there.
  std::uint64_t issue(std::uint64_t stride, std::uint64_t at) {
    const std::vector<std::uint64_t> address = strided(stride);
    return pad.access({address, kWarp, 4}, Cycle(at)).count();
  }
  Scratchpad pad{{.shape = {}, .latency = Cycle(26)}};
};

TEST_F(ScratchpadTest, GivesDataAfterItsLatency) { EXPECT_EQ(issue(4, 100), 126U); }

TEST_F(ScratchpadTest, TakesAnAccessWithoutConflictsEveryCycle) {
  EXPECT_EQ(issue(4, 0), 26U);
  EXPECT_TRUE(pad.accepts(Cycle(1)));
  EXPECT_EQ(issue(4, 1), 27U);
}

TEST_F(ScratchpadTest, IsBusyForOneCycleAPass) {
  EXPECT_EQ(issue(16, 10), 10U + 3 + 26) << "four passes";
  EXPECT_FALSE(pad.accepts(Cycle(13)));
  EXPECT_EQ(pad.next_accept(), Cycle(14));
  EXPECT_TRUE(pad.accepts(Cycle(14)));
  EXPECT_THROW(issue(4, 13), InternalError);
  EXPECT_EQ(issue(4, 14), 40U);
}

TEST_F(ScratchpadTest, TakesOnePassForAnAccessWithoutLanes) {
  EXPECT_EQ(pad.access({{}, 0, 4}, Cycle(0)), Cycle(26));
  EXPECT_EQ(pad.next_accept(), Cycle(1));
}

TEST_F(ScratchpadTest, CountsPassesAndConflicts) {
  issue(4, 0);
  issue(8, 1);
  issue(128, 3);
  EXPECT_TRUE((pad.stats() == ScratchpadStats{3, 96, 384, 35, 32}));
}

TEST(ScratchpadParameters, AreRefusedWithAReason) {
  const auto message = [](const ScratchpadParameters& parameters) -> std::string {
    try {
      const Scratchpad pad(parameters);
    } catch (const Error& error) {
      return error.full_text();
    }
    return "taken";
  };
  EXPECT_EQ(message({}), "taken");
  EXPECT_EQ(message({.shape = {65}}), "invalid number of scratchpad banks: 65\nhint: take 1 to 64");
  EXPECT_EQ(message({.shape = {32, ShortBytes(6)}}),
            "invalid width of scratchpad banks: 6 bytes\nhint: take a power of two");
  EXPECT_EQ(message({.shape = {}, .latency = Cycle(0)}),
            "a scratchpad access cannot take 0 cycles\nhint: take at least 1");
}

}  // namespace
}  // namespace raddle::memory
