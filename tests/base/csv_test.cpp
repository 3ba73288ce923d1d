#include "base/csv.h"

#include <gtest/gtest.h>

#include <vector>

namespace raddle {
namespace {

TEST(Csv, QuotesWhatWouldBeMisread) {
  const std::vector<std::string> fields{"plain", "a,b", "say \"so\"", "two\nlines", "", " blank "};
  EXPECT_EQ(csv_line(fields), "plain,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",, blank \n");
}

TEST(Csv, WritesNumbersThatReadBackTheSame) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(29.921052631578949), "29.92105263157895");
  EXPECT_EQ(csv_number(608), "608");
}

}  // namespace
}  // namespace raddle
