// Which bytes were written, at the edges of words and pages of bits.
#include "kernel/written_bytes.h"

#include <gtest/gtest.h>

namespace raddle::kernel {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 32;

TEST(WrittenBytes, KnowsEachByteByItself) {
  WrittenBytes bytes(kBytes);
  EXPECT_EQ(bytes.first_missing(100, 8), 100u);
  bytes.set(100, 3);
  EXPECT_EQ(bytes.first_missing(100, 8), 103u);
  bytes.set(104, 4);
  EXPECT_FALSE(bytes.all(100, 8));
  bytes.set(103, 1);
  EXPECT_TRUE(bytes.all(100, 8));
  EXPECT_EQ(bytes.first_missing(99, 8), 99u);
}

TEST(WrittenBytes, SpansWordsOfBits) {
  WrittenBytes bytes(kBytes);
  bytes.set(60, 1000);
  EXPECT_TRUE(bytes.all(60, 1000));
  EXPECT_EQ(bytes.first_missing(60, 1001), 1060u);
  bytes.clear(127, 2);
  EXPECT_EQ(bytes.first_missing(60, 1000), 127u);
  EXPECT_EQ(bytes.first_missing(128, 900), 128u);
  EXPECT_FALSE(bytes.first_missing(129, 900));
}

TEST(WrittenBytes, ClearingLargeRangesLeavesTheirNeighbours) {
  WrittenBytes bytes(kBytes);
  constexpr std::uint64_t kSome = 1'000'000;
  bytes.set(0, 3 * kSome);
  bytes.clear(kSome + 1, kSome);
  EXPECT_TRUE(bytes.all(0, kSome + 1));
  for (const std::uint64_t at : {kSome + 1, kSome + 40'000, 2 * kSome})
    EXPECT_FALSE(bytes.all(at, 1)) << at;
  EXPECT_TRUE(bytes.all(2 * kSome + 1, kSome - 1));
}

TEST(WrittenBytes, CopiesWhatIsMissing) {
  WrittenBytes bytes(kBytes);
  bytes.set(0, 4);
  bytes.set(6, 2);
  bytes.set(1000, 8);
  bytes.copy(1000, 0, 8);
  EXPECT_EQ(bytes.first_missing(1000, 8), 1004u);
  EXPECT_EQ(bytes.first_missing(1005, 3), 1005u);
  EXPECT_FALSE(bytes.first_missing(1006, 2));
}

}  // namespace
}  // namespace raddle::kernel
