// Order by arcs against a closure that is computed by hand, and races against what was accessed.
#include "ddm/recorder/race_checker.h"

#include <gtest/gtest.h>

#include <random>

namespace raddle::ddm {
namespace {

// Random graphs of layers, some of which end in a thread that all of a layer lead to.
TEST(HappensBefore, AgreesWithTheTransitiveClosureOfRandomGraphs) {
  std::mt19937 random(7);
  for (int graph = 0; graph < 30; ++graph) {
    constexpr std::uint32_t kThreads = 120;
    HappensBefore order;
    std::vector<std::vector<bool>> before(kThreads, std::vector<bool>(kThreads));
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      order.add_arc(from, to);
      before[to][from] = true;
      for (std::uint32_t i = 0; i < kThreads; ++i) {
        if (before[from][i]) before[to][i] = true;
      }
    };
    const std::uint32_t reach = 2 + random() % 40;
    for (std::uint32_t to = 1; to < kThreads; ++to) {
      if (to % 25 == 0) {
        for (std::uint32_t from = to - 24; from < to; ++from) add(from, to);
      } else {
        for (std::uint32_t arcs = random() % 4; arcs > 0; --arcs) {
          add(to - 1 - random() % std::min(to, reach), to);
        }
      }
      for (std::uint32_t queries = 0; queries < 40; ++queries) {
        const std::uint32_t from = random() % to;
        ASSERT_EQ(order.ordered(from, to), before[to][from]) << from << " → " << to;
      }
    }
  }
}

constexpr probe::Site kRead{"a.cpp", nullptr, 1, 0};
constexpr probe::Site kWrite{"a.cpp", nullptr, 2, 0};

TEST(RaceChecker, FindsNothingWhereArcsLeadFromWriterToReaderToWriter) {
  RaceChecker checker;
  checker.begin(0, 0);
  checker.access(0, 0x100, 8, true, &kWrite);
  checker.add_arc(0, 1);
  checker.begin(1, 1);
  checker.access(0, 0x100, 8, false, &kRead);
  checker.add_arc(1, 2);
  checker.begin(2, 2);
  checker.access(0, 0x100, 8, true, &kWrite);
  EXPECT_TRUE(checker.races().empty());
}

TEST(RaceChecker, FoldsWhatTheSameLinesOfTheSameTemplatesDo) {
  RaceChecker checker;
  for (std::uint32_t thread = 0; thread < 1000; ++thread) {
    checker.begin(thread, 0);
    checker.access(0, 0x100, 8, false, &kWrite);
    checker.access(0, 0x100, 8, true, &kWrite);
  }
  ASSERT_EQ(checker.races().size(), 1u);
  const Race& race = checker.races().front();
  EXPECT_EQ(race.kind, Race::Kind::kReadAfterWrite);
  EXPECT_EQ(race.earlier, 0u);
  EXPECT_EQ(race.later, 1u);
  EXPECT_EQ(race.pairs, 999u);
}

TEST(RaceChecker, FindsAWriteThatComesAfterAReadWithoutAnArc) {
  RaceChecker checker;
  checker.begin(0, 0);
  checker.access(0, 0x100, 4, false, &kRead);
  checker.begin(1, 1);
  checker.access(0, 0x100, 4, true, &kWrite);
  ASSERT_EQ(checker.races().size(), 1u);
  EXPECT_EQ(checker.races().front().kind, Race::Kind::kWriteAfterRead);
}

TEST(RaceChecker, KeepsBytesOfOneWordApart) {
  RaceChecker checker;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    checker.begin(thread, 0);
    checker.access(0, 0x100 + thread, 1, true, &kWrite);
  }
  EXPECT_TRUE(checker.races().empty());
  checker.begin(4, 0);
  checker.access(0, 0x102, 1, true, &kWrite);
  EXPECT_EQ(checker.races().size(), 1u);
}

TEST(RaceChecker, ForgetsWhatWasAccessedBeforeMemoryWasAllocatedAnew) {
  RaceChecker checker;
  checker.begin(0, 0);
  checker.access(0, 0x100, 16, true, &kWrite);
  checker.begin(1, 0);
  checker.forget(0, 0x100, 8);
  checker.access(0, 0x100, 8, true, &kWrite);
  EXPECT_TRUE(checker.races().empty());
  checker.access(0, 0x108, 8, true, &kWrite);
  EXPECT_EQ(checker.races().size(), 1u);
}

}  // namespace
}  // namespace raddle::ddm
