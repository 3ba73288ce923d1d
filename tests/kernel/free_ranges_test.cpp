#include "kernel/free_ranges.h"

#include <gtest/gtest.h>

namespace raddle::kernel {
namespace {

std::optional<std::uint64_t> start_of(const FreeRanges& ranges,
                                      const FreeRanges::Request& request) {
  const auto place = ranges.find(request);
  return place ? std::optional(place->start) : std::nullopt;
}

TEST(FreeRanges, MergeWithBothNeighbours) {
  FreeRanges ranges;
  ranges.add(0, 100);
  ranges.add(200, 300);
  EXPECT_FALSE(ranges.find({.bytes = 101}));
  ranges.add(100, 200);
  EXPECT_EQ(start_of(ranges, {.bytes = 300}), 0u);
}

TEST(FreeRanges, KeepWhatIsLeftOnEitherSide) {
  FreeRanges ranges;
  ranges.add(0, 1000);
  ranges.remove(400, 600);
  EXPECT_EQ(start_of(ranges, {.bytes = 400}), 0u);
  EXPECT_FALSE(ranges.find({.bytes = 401}));
  ranges.remove(0, 400);
  EXPECT_EQ(start_of(ranges, {.bytes = 400}), 600u);
  ranges.remove(600, 1000);
  EXPECT_FALSE(ranges.find({.bytes = 1}));
}

TEST(FreeRanges, PreferTheLowestAddressToTheBestSize) {
  FreeRanges ranges;
  ranges.add(1000, 9000);
  ranges.add(20000, 20100);
  EXPECT_EQ(start_of(ranges, {.bytes = 100}), 1000u);
  ranges.add(100, 200);
  EXPECT_EQ(start_of(ranges, {.bytes = 100}), 100u);
}

TEST(FreeRanges, AlignAndKeepTheLeadFree) {
  FreeRanges ranges;
  ranges.add(10, 1000);
  EXPECT_EQ(start_of(ranges, {.bytes = 16, .alignment = 256}), 256u);
  const auto place = ranges.find({.bytes = 16, .alignment = 256, .lead = 250});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->range, 10u);
  EXPECT_EQ(place->start, 512u);
  EXPECT_FALSE(ranges.find({.bytes = 489, .alignment = 256, .lead = 250}));
  EXPECT_EQ(start_of(ranges, {.bytes = 488, .alignment = 256, .lead = 250}), 512u);
}

TEST(FreeRanges, FindAFitBehindAnyNumberOfNearMisses) {
  FreeRanges ranges;
  for (std::uint64_t i = 0; i < 1000; ++i) ranges.add(256 * i + 16, 256 * i + 250);
  EXPECT_FALSE(ranges.find({.bytes = 200, .alignment = 256}));
  ranges.add(256 * 1000, 256 * 1000 + 250);
  EXPECT_EQ(start_of(ranges, {.bytes = 200, .alignment = 256}), 256u * 1000);
}

}  // namespace
}  // namespace raddle::kernel
