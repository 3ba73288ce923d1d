// When a warp spins: polls that see the same again and again, and nothing else happens in between.
#include <gtest/gtest.h>

#include "kernel/exec/warp_state.h"

namespace raddle::kernel::exec {
namespace {

constexpr std::uint32_t kPc = 5;
constexpr std::uint32_t kOtherPc = 9;
constexpr std::uint64_t kSeen = 0x1234;

TEST(PollWatch, SpinsWhenSeventeenPollsSawTheSame) {
  PollWatch watch;
  for (int i = 0; i < 16; ++i) {
    watch.poll(kPc, kSeen);
    EXPECT_FALSE(watch.spins()) << i;
  }
  watch.poll(kPc, kSeen);
  EXPECT_TRUE(watch.spins());
}

TEST(PollWatch, AnotherValueOrAddressBeginsAnew) {
  PollWatch watch;
  for (int i = 0; i < 16; ++i) watch.poll(kPc, kSeen);
  watch.poll(kPc, kSeen + 1);
  for (int i = 0; i < 15; ++i) watch.poll(kPc, kSeen + 1);
  EXPECT_FALSE(watch.spins());
  watch.poll(kPc, kSeen + 1);
  EXPECT_TRUE(watch.spins());
}

TEST(PollWatch, PollsThatAlwaysSeeSomethingElseNeverSpin) {
  PollWatch watch;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    watch.poll(kPc, i % 2);
    EXPECT_FALSE(watch.spins());
  }
}

TEST(PollWatch, AccessesInBetweenThatMoveOnAreProgress) {
  PollWatch watch;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    watch.poll(kPc, kSeen);
    watch.access(4096 + 4 * i);
    EXPECT_FALSE(watch.spins());
  }
}

TEST(PollWatch, AccessesInBetweenThatStayWhereTheyAreAreNone) {
  PollWatch watch;
  for (int i = 0; i < 20; ++i) {
    watch.poll(kPc, kSeen);
    watch.access(4096);
  }
  EXPECT_TRUE(watch.spins());
}

TEST(PollWatch, ALoopWithTwoPollsSpinsWhenNeitherChanges) {
  PollWatch watch;
  for (int i = 0; i < 20; ++i) {
    watch.poll(kPc, kSeen);
    watch.poll(kOtherPc, kSeen);
  }
  EXPECT_TRUE(watch.spins());
}

TEST(PollWatch, ALoopWithTwoPollsGetsOnWhenOneOfThemChanges) {
  PollWatch watch;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    watch.poll(kPc, kSeen);
    watch.poll(kOtherPc, i);
    EXPECT_FALSE(watch.spins());
  }
}

TEST(PollWatch, ForgetsAPollThatItNeverComesBackTo) {
  PollWatch watch;
  watch.poll(kPc, kSeen);
  int polls = 0;
  while (!watch.spins() && polls < 1000) {
    watch.poll(kOtherPc, kSeen);
    ++polls;
  }
  EXPECT_EQ(polls, 64 + 17);
}

TEST(PollWatch, RestartsFromNothing) {
  PollWatch watch;
  for (int i = 0; i < 20; ++i) watch.poll(kPc, kSeen);
  watch.restart();
  EXPECT_FALSE(watch.spins());
  for (int i = 0; i < 16; ++i) watch.poll(kPc, kSeen);
  EXPECT_FALSE(watch.spins());
}

}  // namespace
}  // namespace raddle::kernel::exec
