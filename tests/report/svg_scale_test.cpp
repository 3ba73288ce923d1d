#include "report/charts/svg_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace raddle::report {
namespace {

using testing::ElementsAre;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> texts;
  for (const Tick& tick : scale.ticks()) texts.push_back(tick.label);
  return texts;
}

Scale upright(ChartAxis axis, Interval data, bool from_zero = true) {
  return {std::move(axis), data, 200, {.from_zero = from_zero}};
}

TEST(SvgScale, PutsTicksAtOneTwoFiveTimesPowersOfTen) {
  EXPECT_THAT(labels(upright({.title = "x", .numbers = Numbers::kPlain}, {0, 9.3})),
              ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(labels(upright({.title = "x", .numbers = Numbers::kPlain}, {0, 0.22})),
              ElementsAre("0", "0.05", "0.10", "0.15", "0.20", "0.25"));
  EXPECT_THAT(labels(upright({.title = "x", .numbers = Numbers::kPlain}, {-3, 4})),
              ElementsAre("-4", "-2", "0", "2", "4"));
}

TEST(SvgScale, WritesCountsWithOnePrefixForTheWholeAxis) {
  EXPECT_THAT(labels(upright({.title = "cycles"}, {0, 43'000})),
              ElementsAre("0", "10 k", "20 k", "30 k", "40 k", "50 k"));
  EXPECT_THAT(labels(upright({.title = "cycles"}, {0, 9'000})),
              ElementsAre("0", "2000", "4000", "6000", "8000", "10000"));
}

TEST(SvgScale, NeverSplitsACountThatIsSmall) {
  EXPECT_THAT(labels(upright({.title = "launches"}, {0, 2})), ElementsAre("0", "1", "2"));
}

TEST(SvgScale, SplitsWhatIsNoCountThoughNobodySaidSo) {
  EXPECT_THAT(labels(upright({.title = "utilisation"}, {0, 1, false})),
              ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  Interval data;
  data.add({.title = "utilisation"}, 1);
  EXPECT_TRUE(data.is_whole);
  data.add({.title = "utilisation"}, 0.07);
  EXPECT_FALSE(data.is_whole);
  EXPECT_EQ(value_text({.title = "utilisation"}, 1.0 / 3), "0.333");
}

TEST(SvgScale, MovesThePrefixOfAUnitIntoTheTitle) {
  const Scale time = upright({.title = "time", .unit = "s", .numbers = Numbers::kSi}, {0, 4.1e-5});
  EXPECT_EQ(time.heading(), "time (µs)");
  EXPECT_THAT(labels(time), ElementsAre("0", "10", "20", "30", "40", "50"));
  const Scale bytes = upright({.title = "traffic", .numbers = Numbers::kBytes}, {0, 5 << 20});
  EXPECT_EQ(bytes.heading(), "traffic (MiB)");
  EXPECT_THAT(labels(bytes), ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_EQ(upright({.title = "", .unit = "Hz"}, {0, 1}).heading(), "Hz");
}

TEST(SvgScale, WritesSharesAsPercent) {
  EXPECT_THAT(labels(upright({.title = "share", .numbers = Numbers::kShare}, {0, 1})),
              ElementsAre("0", "20%", "40%", "60%", "80%", "100%"));
}

TEST(SvgScale, PlacesValuesLinearly) {
  Scale scale = upright({.title = "x", .numbers = Numbers::kPlain}, {0, 10});
  scale.place(100, 0);
  EXPECT_DOUBLE_EQ(scale.at(0), 100);
  EXPECT_DOUBLE_EQ(scale.at(2.5), 75);
  EXPECT_DOUBLE_EQ(scale.at(10), 0);
  EXPECT_DOUBLE_EQ(scale.at(20), 0);  // beyond the end
  EXPECT_DOUBLE_EQ(scale.base(), 0);
}

TEST(SvgScale, PlacesValuesByTheirLogarithm) {
  Scale scale({.title = "x", .logarithmic = true}, {1, 1e6}, 300,
              {.direction = Scale::Direction::kHorizontal});
  scale.place(0, 300);
  EXPECT_DOUBLE_EQ(scale.at(1), 0);
  EXPECT_DOUBLE_EQ(scale.at(1e3), 150);
  EXPECT_DOUBLE_EQ(scale.at(1e6), 300);
  EXPECT_THAT(labels(scale), ElementsAre("1", "10", "100", "1 k", "10 k", "100 k", "1 M"));
  EXPECT_DOUBLE_EQ(scale.base(), 1);
}

TEST(SvgScale, GivesAShortLogarithmicAxisTicksWithinTheDecade) {
  const Scale scale({.title = "x", .logarithmic = true}, {0.3, 4}, 200, {});
  EXPECT_THAT(labels(scale), ElementsAre("0.2", "0.5", "1", "2", "5"));
  EXPECT_FALSE(scale.minor_ticks().empty());
}

TEST(SvgScale, HasRoomForDataThatIsOneValueOrNone) {
  for (const bool logarithmic : {false, true}) {
    for (const Interval data :
         {Interval{}, Interval{5, 5}, Interval{1e-30, 1e-30}, Interval{1e16, 1e16 + 2}}) {
      const Scale scale({.title = "x", .logarithmic = logarithmic}, data, 200, {});
      EXPECT_LT(scale.domain().low, scale.domain().high);
      EXPECT_FALSE(scale.ticks().empty());
      if (!data.empty()) {
        EXPECT_LE(scale.domain().low, data.low);
        EXPECT_GE(scale.domain().high, data.high);
      }
    }
  }
  const Scale zero({.title = "x"}, {0, 0}, 200, {.from_zero = true});
  EXPECT_EQ(zero.domain().low, 0);
  EXPECT_EQ(zero.domain().high, 1);
}

TEST(SvgScale, SpansWhateverADoubleCanHold) {
  const ChartAxis linear{.title = "x"};
  const ChartAxis logarithmic{.title = "x", .logarithmic = true};
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  for (const ChartAxis& axis : {linear, logarithmic}) {
    Interval data;
    for (const double value :
         {least, 1.0, most, -most, kNaN, std::numeric_limits<double>::infinity()})
      data.add(axis, value);
    const Scale scale(axis, data, 200, {});
    EXPECT_GE(scale.ticks().size(), 2u);
    EXPECT_LE(scale.ticks().size(), 12u);
    for (const double value : {least, 1.0, most}) {
      EXPECT_TRUE(std::isfinite(scale.at(value)));
      EXPECT_GE(scale.at(value), -1e-9);
      EXPECT_LE(scale.at(value), 200 + 1e-9);
    }
  }
}

TEST(SvgScale, KnowsWhatAnAxisCannotShow) {
  const ChartAxis linear{.title = "x"};
  const ChartAxis logarithmic{.title = "x", .logarithmic = true};
  EXPECT_TRUE(can_show(linear, -1));
  EXPECT_FALSE(can_show(linear, kNaN));
  EXPECT_FALSE(can_show(logarithmic, 0));
  EXPECT_FALSE(can_show(logarithmic, -1));
}

TEST(SvgScale, HasFewerTicksWhereLabelsAreWide) {
  const ChartAxis axis{.title = "x", .numbers = Numbers::kPlain};
  const Scale::Options across{.direction = Scale::Direction::kHorizontal};
  const Scale narrow(axis, {0, 123'456}, 120, across);
  const Scale wide(axis, {0, 123'456}, 900, across);
  EXPECT_LT(narrow.ticks().size(), wide.ticks().size());
  EXPECT_GE(narrow.ticks().size(), 2u);
}

TEST(ValueText, WritesAValueAsItsAxisDoes) {
  EXPECT_EQ(value_text({.title = "cycles"}, 608), "608");
  EXPECT_EQ(value_text({.title = "cycles"}, 1'234'567), "1.23 M");
  EXPECT_EQ(value_text({.title = "t", .unit = "s", .numbers = Numbers::kSi}, 4.2e-5), "42.0 µs");
  EXPECT_EQ(value_text({.title = "t", .unit = "s", .numbers = Numbers::kSi}, 0), "0 s");
  EXPECT_EQ(value_text({.title = "b", .numbers = Numbers::kBytes}, 49'152), "48 KiB");
  EXPECT_EQ(value_text({.title = "b", .numbers = Numbers::kBytes}, -49'152), "-48 KiB");
  EXPECT_EQ(value_text({.title = "p", .numbers = Numbers::kShare}, 0.621), "62.1%");
  EXPECT_EQ(value_text({.title = "i", .numbers = Numbers::kPlain}, 29.27), "29.3");
  EXPECT_EQ(value_text({.title = "i", .numbers = Numbers::kPlain}, 3), "3");
  EXPECT_EQ(value_text({.title = "i"}, 1e30), "1e30");
  EXPECT_EQ(value_text({.title = "i"}, kNaN), "–");
}

}  // namespace
}  // namespace raddle::report
