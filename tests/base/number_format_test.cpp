#include "base/number_format.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace raddle {
namespace {

TEST(NumberFormat, GroupsDigitsByThousands) {
  EXPECT_EQ(with_thousands(std::uint64_t{0}), "0");
  EXPECT_EQ(with_thousands(std::uint64_t{999}), "999");
  EXPECT_EQ(with_thousands(std::uint64_t{1'000}), "1,000");
  EXPECT_EQ(with_thousands(std::uint64_t{1'234'567}), "1,234,567");
  EXPECT_EQ(with_thousands(std::numeric_limits<std::uint64_t>::max()),
            "18,446,744,073,709,551,615");
}

TEST(NumberFormat, GroupsNegativeNumbersDownToTheLeast) {
  EXPECT_EQ(with_thousands(std::int64_t{-123}), "-123");
  EXPECT_EQ(with_thousands(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(NumberFormat, ScalesToThreeDigitsAndAPrefix) {
  EXPECT_EQ(si_scaled(22'013'000), "22.0 M");
  EXPECT_EQ(si_scaled(1e9, "Hz"), "1.00 GHz");
  EXPECT_EQ(si_scaled(0.00042, "s"), "420 µs");
  EXPECT_EQ(si_scaled(512, "B"), "512 B");
  EXPECT_EQ(si_scaled(7), "7.00");
  EXPECT_EQ(si_scaled(-1500), "-1.50 k");
  EXPECT_EQ(si_scaled(0, "J"), "0 J");
}

TEST(NumberFormat, NeverPrintsAThousandOfASmallerPrefix) {
  EXPECT_EQ(si_scaled(999.4), "999");
  EXPECT_EQ(si_scaled(999.6), "1.00 k");
  EXPECT_EQ(si_scaled(999'999), "1.00 M");
  EXPECT_EQ(si_scaled(0.9999), "1.00");
  EXPECT_EQ(si_scaled(9.996), "10.0");
}

TEST(NumberFormat, StaysAtTheOutermostPrefixes) {
  EXPECT_EQ(si_scaled(5e21), "5000 E");
  EXPECT_EQ(si_scaled(1.5e-14), "0.01 p");
  EXPECT_EQ(si_scaled(std::numeric_limits<double>::infinity(), "s"), "inf s");
}

TEST(NumberFormat, WritesSizesInBinaryPrefixes) {
  EXPECT_EQ(byte_size(100), "100 B");
  EXPECT_EQ(byte_size(49'152), "48 KiB");
  EXPECT_EQ(byte_size(1'536), "1.5 KiB");
  EXPECT_EQ(byte_size(std::uint64_t{4} << 30), "4 GiB");
}

TEST(NumberFormat, WritesRatiosWithATimesSign) {
  EXPECT_EQ(ratio(137, 100), "1.37×");
  EXPECT_EQ(ratio(12'345, 100), "123×");
  EXPECT_EQ(ratio(5, 0), "–");
  EXPECT_EQ(ratio(0, 0), "–");
}

TEST(NumberFormat, SaysTimeToWaitAsAPersonWould) {
  EXPECT_EQ(rough_duration(0.4), "0 s");
  EXPECT_EQ(rough_duration(89), "89 s");
  EXPECT_EQ(rough_duration(90), "2 min");
  EXPECT_EQ(rough_duration(3600), "60 min");
  EXPECT_EQ(rough_duration(9000), "2.5 h");
}

}  // namespace
}  // namespace raddle
