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

}  // namespace
}  // namespace raddle::machine::cgra
