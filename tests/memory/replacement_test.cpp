#include "memory/replacement.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "base/error.h"

namespace raddle::memory {
namespace {

constexpr std::uint64_t kFourWays = 0b1111;

ReplacementState four_ways(Replacement policy) {
  ReplacementState state(policy, 2, 4, 1);
  for (std::uint32_t way = 0; way < 4; ++way) state.placed(1, way);
  return state;
}

TEST(Replacement, LruThrowsOutTheLineNotUsedForLongest) {
  ReplacementState state = four_ways(Replacement::kLru);
  state.used(1, 0);
  state.used(1, 2);
  EXPECT_EQ(state.victim(1, kFourWays), 1U);
  state.placed(1, 1);
  EXPECT_EQ(state.victim(1, kFourWays), 3U);
}

TEST(Replacement, FifoDoesNotCareForUses) {
  ReplacementState state = four_ways(Replacement::kFifo);
  state.used(1, 0);
  EXPECT_EQ(state.victim(1, kFourWays), 0U);
  state.placed(1, 0);
  EXPECT_EQ(state.victim(1, kFourWays), 1U);
}

TEST(Replacement, TreePointsAwayFromTheLastUseAtEveryNode) {
  ReplacementState state = four_ways(Replacement::kTreePlru);
  // Last use 3: the root points left. Last use within the left half 1: it points to 0.
  EXPECT_EQ(state.victim(1, kFourWays), 0U);
  state.used(1, 0);
  // The root points right, whose last use was 3.
  EXPECT_EQ(state.victim(1, kFourWays), 2U);
  state.used(1, 2);
  EXPECT_EQ(state.victim(1, kFourWays), 1U);
}

TEST(Replacement, TreeKeepsAUsedLineForALogarithmOfVictims) {
  // A line just used in a tree of 16 ways survives at least four replacements.
  ReplacementState state(Replacement::kTreePlru, 1, 16, 1);
  for (std::uint32_t way = 0; way < 16; ++way) state.placed(0, way);
  state.used(0, 5);
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t victim = state.victim(0, 0xffff);
    EXPECT_NE(victim, 5U) << i;
    state.placed(0, victim);
  }
}

TEST(Replacement, TreeWorksForAnyNumberOfWays) {
  for (const std::uint32_t ways : {1U, 3U, 6U, 7U, 24U, 64U}) {
    ReplacementState state(Replacement::kTreePlru, 1, ways, 1);
    const std::uint64_t all = ways == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways) - 1;
    std::vector<int> chosen(ways);
    for (std::uint32_t i = 0; i < 100 * ways; ++i) {
      const std::uint32_t victim = state.victim(0, all);
      ASSERT_LT(victim, ways);
      ++chosen[victim];
      state.placed(0, victim);
    }
    for (std::uint32_t way = 0; way < ways; ++way) EXPECT_GT(chosen[way], 0) << ways << " " << way;
  }
}

TEST(Replacement, NeverChoosesAWayThatIsNotAllowed) {
  std::mt19937_64 random(7);
  for (const auto policy :
       {Replacement::kLru, Replacement::kFifo, Replacement::kTreePlru, Replacement::kRandom}) {
    ReplacementState state(policy, 3, 11, 5);
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t set = static_cast<std::uint32_t>(random() % 3);
      std::uint64_t allowed = random() & 0x7ff;
      if (allowed == 0) allowed = 0x400;
      const std::uint32_t victim = state.victim(set, allowed);
      ASSERT_NE(allowed >> victim & 1, 0U) << "policy " << static_cast<int>(policy);
      state.placed(set, victim);
      state.used(set, static_cast<std::uint32_t>(random() % 11));
    }
  }
}

TEST(Replacement, RandomChoosesEveryAllowedWayAboutEquallyOften) {
  ReplacementState state(Replacement::kRandom, 1, 8, 42);
  std::array<int, 8> chosen{};
  for (int i = 0; i < 10000; ++i) ++chosen[state.victim(0, 0b10110010)];
  EXPECT_EQ(chosen[0] + chosen[2] + chosen[3] + chosen[6], 0);
  for (const std::size_t way : {1U, 4U, 5U, 7U}) EXPECT_NEAR(chosen[way], 2500, 250) << way;
}

TEST(Replacement, RandomRepeatsItselfForTheSameSeedAlone) {
  const auto sequence = [](std::uint64_t seed) {
    ReplacementState state(Replacement::kRandom, 1, 16, seed);
    std::vector<std::uint32_t> victims;
    for (int i = 0; i < 64; ++i) victims.push_back(state.victim(0, 0xffff));
    return victims;
  };
  EXPECT_EQ(sequence(3), sequence(3));
  EXPECT_NE(sequence(3), sequence(4));
  EXPECT_NE(sequence(0), std::vector<std::uint32_t>(64, sequence(0)[0]))
      << "a seed of 0 is one, too";
}

TEST(Replacement, KeepsSetsApart) {
  ReplacementState state = four_ways(Replacement::kLru);
  for (std::uint32_t way : {3U, 2U, 1U, 0U}) state.placed(0, way);
  EXPECT_EQ(state.victim(0, kFourWays), 3U);
  EXPECT_EQ(state.victim(1, kFourWays), 0U);
}

TEST(Replacement, FindsItOurFaultToChooseAmongNone) {
  ReplacementState state = four_ways(Replacement::kLru);
  EXPECT_THROW(state.victim(0, 0), InternalError);
  EXPECT_THROW(state.victim(0, 0b10000), InternalError) << "a way that is not there";
}

}  // namespace
}  // namespace raddle::memory
