#include "sim/stats.h"

#include <gtest/gtest.h>

#include <array>

namespace raddle::sim {

// In this namespace, so that the operators of stats.h are found.
struct DoorStats {
  std::uint64_t opened = 0;
  std::uint64_t waited = 0;
  static constexpr auto kFields = std::to_array<StatField<DoorStats>>(
      {{"opened", "times", "how often it was opened", &DoorStats::opened},
       {"waited", "cycles", "cycles spent in front of it", &DoorStats::waited}});
};

namespace {

TEST(Stats, AddAndSubtractFieldByField) {
  DoorStats total{3, 40};
  total += DoorStats{1, 2};
  EXPECT_TRUE((total == DoorStats{4, 42}));
  EXPECT_TRUE((total - DoorStats{3, 40} == DoorStats{1, 2}));
  EXPECT_FALSE((total == DoorStats{4, 43}));
}

TEST(Stats, AreWrittenWithNameUnitAndSentence) {
  std::vector<StatValue> values;
  append_stats(values, "front", DoorStats{4, 42});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[1].component, "front");
  EXPECT_EQ(values[1].name, "waited");
  EXPECT_EQ(values[1].unit, "cycles");
  EXPECT_EQ(values[1].sentence, "cycles spent in front of it");
  EXPECT_EQ(values[1].value, 42);
}

}  // namespace
}  // namespace raddle::sim
