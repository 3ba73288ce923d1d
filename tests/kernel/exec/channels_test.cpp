#include "kernel/exec/channels.h"

#include <gtest/gtest.h>

namespace raddle::kernel::exec {
namespace {

std::uint32_t producer(std::uint32_t thread, std::array<std::int32_t, 3> delta, Dim3 block,
                       std::uint32_t window = 0) {
  return producer_of(thread, {0, delta, window}, block);
}

TEST(Channels, ProducersLieWithinTheBlock) {
  EXPECT_EQ(producer(5, {-1, 0, 0}, {8, 1, 1}), 4u);
  EXPECT_EQ(producer(5, {2, 0, 0}, {8, 1, 1}), 7u);
  EXPECT_EQ(producer(0, {-1, 0, 0}, {8, 1, 1}), kNoThread);
  EXPECT_EQ(producer(6, {2, 0, 0}, {8, 1, 1}), kNoThread);
}

TEST(Channels, EveryDimensionIsTestedByItself) {
  // Thread 4 is the first of the second row: the one before it is not its left neighbour.
  EXPECT_EQ(producer(4, {-1, 0, 0}, {4, 4, 1}), kNoThread);
  EXPECT_EQ(producer(4, {0, -1, 0}, {4, 4, 1}), 0u);
  EXPECT_EQ(producer(5, {1, 1, 0}, {4, 4, 1}), 10u);
  EXPECT_EQ(producer(5, {1, 3, 0}, {4, 4, 1}), kNoThread);
  EXPECT_EQ(producer(16, {0, 0, -1}, {4, 4, 2}), 0u);
  EXPECT_EQ(producer(16, {0, 0, 1}, {4, 4, 2}), kNoThread);
  EXPECT_EQ(producer(0, {0x7fffffff, 0, 0}, {1024, 1, 1}), kNoThread);
}

TEST(Channels, WindowsAreGroupsOfLinearNumbers) {
  EXPECT_EQ(producer(8, {-1, 0, 0}, {32, 1, 1}, 8), kNoThread);
  EXPECT_EQ(producer(9, {-1, 0, 0}, {32, 1, 1}, 8), 8u);
  EXPECT_EQ(producer(7, {1, 0, 0}, {32, 1, 1}, 8), kNoThread);
  EXPECT_EQ(producer(5, {0, -1, 0}, {4, 4, 1}, 8), 1u);
  EXPECT_EQ(producer(9, {0, -1, 0}, {4, 4, 1}, 8), kNoThread);
  EXPECT_EQ(producer(3, {-1, 0, 0}, {4, 1, 1}, 1), kNoThread);
}

}  // namespace
}  // namespace raddle::kernel::exec
