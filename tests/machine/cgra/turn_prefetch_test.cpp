#include "machine/cgra/fabric/turn_prefetch.h"

#include <gmock/gmock.h>

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kPitch = 1024;

// Where a thread of a block of `width` threads a row loads its float.
Address place_of(std::uint32_t thread, std::uint32_t width) {
  return Address(0x10000 + std::uint64_t{thread / width} * kPitch + thread % width * 4);
}

std::vector<std::uint64_t> steps_of(TurnPrefetch::Load& load, std::uint32_t thread,
                                    std::uint32_t width) {
  std::vector<std::uint64_t> steps;
  for (const Bytes step : load.row_steps(thread, place_of(thread, width)))
    steps.push_back(step.count());
  return steps;
}

void pass(TurnPrefetch::Load& load, std::uint32_t first, std::uint32_t count, std::uint32_t width) {
  for (std::uint32_t t = first; t < first + count; ++t) steps_of(load, t, width);
}

TEST(TurnPrefetch, RowsOfAGroupAreKnownAfterTwoGroupsHadThemAlike) {
  TurnPrefetch::Load load;
  pass(load, 0, 32, 16);
  EXPECT_THAT(steps_of(load, 32, 16), IsEmpty()) << "one group had them so";
  pass(load, 33, 31, 16);
  EXPECT_THAT(steps_of(load, 64, 16), ElementsAre(32, kPitch, kPitch + 32));
  EXPECT_THAT(steps_of(load, 65, 16), IsEmpty()) << "the first thread stands for its group";
}

TEST(TurnPrefetch, RowsThatChangeAreForgotten) {
  TurnPrefetch::Load load;
  pass(load, 0, 64, 16);
  EXPECT_THAT(steps_of(load, 64, 16), ElementsAre(32, kPitch, kPitch + 32));
  pass(load, 65, 31, 8);  // the same group, in other rows
  EXPECT_THAT(steps_of(load, 96, 8), IsEmpty());
}

// Threads that do not load leave a group incomplete; its place comes again.
TEST(TurnPrefetch, AGroupThatIsIncompleteIsBegunAgain) {
  TurnPrefetch::Load load;
  pass(load, 0, 20, 16);
  pass(load, 32, 32, 16);  // not watched
  pass(load, 0, 32, 16);
  pass(load, 0, 32, 16);
  EXPECT_THAT(steps_of(load, 64, 16), ElementsAre(32, kPitch, kPitch + 32));
}

TurnPrefetch::Load load_of(std::uint32_t distance, bool comes_again) {
  TurnPrefetch::Load load;
  load.expected = {.distance = distance, .comes_again = comes_again};
  return load;
}

std::uint64_t step_of(TurnPrefetch::Load& load, std::uint32_t thread, std::uint64_t address) {
  return load.step({.slot = thread % 64, .position = thread}, Address(address)).count();
}

// Blocks of 16 by 16 threads side by side: three blocks on are 3 · 64 bytes.
TEST(TurnPrefetch, ThreadsThatComeLaterAreAsFarOnAsTheseWereTwice) {
  TurnPrefetch::Load load = load_of(768, false);
  for (std::uint32_t t = 0; t <= 768; ++t) EXPECT_EQ(step_of(load, t, t / 256 * 64), 0) << t;
  for (std::uint32_t t = 769; t < 1536; ++t) EXPECT_EQ(step_of(load, t, t / 256 * 64), 0) << t;
  EXPECT_EQ(step_of(load, 1536, 6 * 64), 3 * 64);
  EXPECT_EQ(step_of(load, 1537, 6 * 64 + 4), 3 * 64) << "whoever loads";
}

TEST(TurnPrefetch, OneJumpIsNotHeeded) {
  TurnPrefetch::Load load = load_of(32, false);
  for (std::uint32_t t = 0; t <= 64; t += 32) step_of(load, t, t * 4);
  EXPECT_EQ(step_of(load, 96, 0x10000), 128) << "the next row of blocks";
  EXPECT_EQ(step_of(load, 128, 0x10000 + 128), 128);
  EXPECT_EQ(step_of(load, 160, 0x10000 + 128 + 512), 128);
  EXPECT_EQ(step_of(load, 192, 0x10000 + 128 + 1024), 512) << "twice is another distance";
}

// Of a thread's own turns, whoever comes in between.
TEST(TurnPrefetch, InALoopTheNextTurnIsExpected) {
  TurnPrefetch::Load load = load_of(32, true);
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    for (std::uint32_t t = 0; t < 64; ++t) {
      const std::uint64_t expected = turn < 2 ? 0 : 4096;
      EXPECT_EQ(step_of(load, t, turn * 4096 + t * 4), expected) << turn << ", " << t;
    }
  }
}

// The thread that is watched for does not load: another one is watched.
TEST(TurnPrefetch, ThreadsThatDoNotLoadAreNotWaitedFor) {
  TurnPrefetch::Load load = load_of(32, false);
  step_of(load, 0, 0);
  for (const std::uint32_t t : {33, 66, 98, 130}) step_of(load, t, t * 4);
  EXPECT_EQ(step_of(load, 131, 131 * 4), 128);
}

}  // namespace
}  // namespace raddle::machine::cgra
