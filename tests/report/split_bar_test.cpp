#include "report/text/split_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/text_table.h"

namespace raddle::report {
namespace {

using testing::ElementsAre;

TEST(SplitBar, GivesEveryPartItsShareOfTheColumns) {
  EXPECT_THAT(columns_of({{"a", 1}, {"b", 1}, {"c", 1}}, 60), ElementsAre(20, 20, 20));
  EXPECT_THAT(columns_of({{"a", 1}, {"b", 1}, {"c", 1}}, 10), ElementsAre(4, 3, 3));
  EXPECT_THAT(columns_of({{"a", 999}, {"b", 1}}, 60), ElementsAre(60, 0));
  EXPECT_THAT(columns_of({{"a", 0}}, 60), ElementsAre(0));
  EXPECT_THAT(columns_of({}, 60), testing::IsEmpty());
}

TEST(SplitBar, NeverLosesAColumn) {
  for (int n = 1; n < 40; ++n) {
    std::vector<machine::Share> parts;
    for (int i = 0; i < n; ++i) parts.push_back({"p", 1.0 + i * i % 7});
    const std::vector<std::size_t> columns = columns_of(parts, kBarColumns);
    EXPECT_EQ(std::accumulate(columns.begin(), columns.end(), std::size_t{0}), kBarColumns);
  }
}

TEST(SplitBar, TellsPartsApartWithoutColour) {
  EXPECT_EQ(
      split_bar({"slots", "10 cycles", {{"issued", 3}, {"stall: DRAM", 7}}}, TextStyle(false)),
      "slots         ██████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  10 cycles\n"
      "              █ issued 30.0 %   ▓ stall: DRAM 70.0 %\n");
}

TEST(SplitBar, ColoursPartsWhereItMay) {
  const std::string text = split_bar({"slots", "", {{"a", 1}, {"b", 1}}}, TextStyle(true));
  EXPECT_THAT(text, testing::HasSubstr("\x1b[34m█"));
  EXPECT_THAT(text, testing::HasSubstr("\x1b[33m█"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("▓")));
}

TEST(SplitBar, WrapsItsLegendAndJoinsTheSmallestParts) {
  std::vector<machine::Share> parts;
  for (int i = 0; i < 12; ++i) parts.push_back({"a part with a long name", 100.0 - i});
  const std::string text = split_bar({"energy", "1 J", parts}, TextStyle(false));
  EXPECT_THAT(text, testing::HasSubstr("· others "));
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(display_width(text.substr(start, end - start)), 100u);
    start = end + 1;
  }
}

TEST(SplitBar, IsEmptyWhereThereIsNothingToSplit) {
  EXPECT_EQ(split_bar({"energy", "0 J", {}}, TextStyle(false)), "");
  EXPECT_EQ(split_bar({"energy", "0 J", {{"a", 0}}}, TextStyle(false)), "");
}

}  // namespace
}  // namespace raddle::report
