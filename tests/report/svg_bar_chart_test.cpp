#include "report/charts/svg_bar_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/charts/svg_stacked_chart.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPixel = 0.02;  // numbers in the SVG have two decimals

BarChart two_machines() {
  return {.frame = {.title = "Cycles"},
          .axes = {.values = {.title = "cycles"}, .categories = {"vecadd", "matmul", "bfs"}},
          .series = {{"ref", {600, 1200, 300}}, {"fermi", {900, kNaN, 2400}}}};
}

TEST(BarChart, DrawsBarsAsHighAsTheirValues) {
  const XmlElement svg = checked_svg(svg_of(two_machines()));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 5u);
  const double unit = box_of(*bars[0]).height / 600;
  EXPECT_GT(unit * 2400, 100);
  EXPECT_NEAR(box_of(*bars[1]).height, unit * 1200, kPixel * 4);
  EXPECT_NEAR(box_of(*bars[2]).height, unit * 300, kPixel * 4);
  EXPECT_NEAR(box_of(*bars[3]).height, unit * 900, kPixel * 4);
  EXPECT_NEAR(box_of(*bars[4]).height, unit * 2400, kPixel * 4);
  for (const XmlElement* bar : bars)
    EXPECT_NEAR(box_of(*bar).bottom(), box_of(*bars[0]).bottom(), kPixel) << "on one line";
}

TEST(BarChart, NamesEveryBarInItsTooltip) {
  const XmlElement svg = checked_svg(svg_of(two_machines()));
  std::vector<std::string> tooltips;
  for (const XmlElement* bar : svg.all("rect", "bar")) tooltips.push_back(bar->whole_text);
  EXPECT_THAT(tooltips, ElementsAre("vecadd, ref: 600", "matmul, ref: 1200", "bfs, ref: 300",
                                    "vecadd, fermi: 900", "bfs, fermi: 2400"));
}

TEST(BarChart, HasLegendAxisTitleAndNames) {
  const XmlElement svg = checked_svg(svg_of(two_machines()));
  EXPECT_THAT(texts_of(svg, "name"), ElementsAre("ref", "fermi"));
  EXPECT_THAT(texts_of(svg, "axis-title"), ElementsAre("cycles"));
  EXPECT_THAT(texts_of(svg, "title"), ElementsAre("Cycles"));
  EXPECT_THAT(texts_of(svg, "tick"),
              testing::IsSupersetOf({"0", "500", "vecadd", "matmul", "bfs"}));
  EXPECT_EQ(svg.all("rect", "swatch").size(), 2u);
}

TEST(BarChart, WritesValuesWhereTheyHaveRoomAndADashForNone) {
  EXPECT_THAT(texts_of(checked_svg(svg_of(two_machines())), "value"),
              testing::UnorderedElementsAre("600", "1200", "300", "900", "–", "2400"));
  BarChart narrow = two_machines();
  narrow.frame.width = 150;
  EXPECT_THAT(texts_of(checked_svg(svg_of(narrow)), "value"), testing::Not(Contains("1200")));
}

TEST(BarChart, LetsNegativeBarsHangFromZero) {
  const XmlElement svg = checked_svg(svg_of(BarChart{
      .frame = {.title = "Change"},
      .axes = {.values = {.title = "change", .numbers = Numbers::kPlain}, .categories = {"a", "b"}},
      .series = {{"", {-2, 4}}}}));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(box_of(*bars[0]).y, box_of(*bars[1]).bottom(), kPixel);
  EXPECT_NEAR(2 * box_of(*bars[0]).height, box_of(*bars[1]).height, kPixel * 3);
  EXPECT_THAT(texts_of(svg, "value"), ElementsAre("-2", "4"));
}

TEST(BarChart, LiesDownWithNamesToTheLeft) {
  BarChart chart = two_machines();
  chart.axes.horizontal = true;
  const XmlElement svg = checked_svg(svg_of(chart));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 5u);
  EXPECT_NEAR(box_of(*bars[1]).width, 2 * box_of(*bars[0]).width, kPixel * 3);
  EXPECT_NEAR(box_of(*bars[4]).width, 8 * box_of(*bars[2]).width, kPixel * 9);
}

TEST(BarChart, DrawsLogarithmicBarsFromTheLowerEnd) {
  const XmlElement svg =
      checked_svg(svg_of(BarChart{.frame = {.title = "Cycles"},
                                  .axes = {.values = {.title = "cycles", .logarithmic = true},
                                           .categories = {"a", "b", "c", "d"}},
                                  .series = {{"", {10, 1e3, 1e5, 0}}}}));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 3u) << "zero has no logarithm";
  const double step = box_of(*bars[1]).height - box_of(*bars[0]).height;
  EXPECT_NEAR(box_of(*bars[2]).height - box_of(*bars[1]).height, step, kPixel * 2);
}

TEST(BarChart, SaysSoWhenThereIsNoData) {
  for (const BarChart& chart :
       {BarChart{
            .frame = {.title = "Nothing"}, .axes = {.values = {.title = "cycles"}}, .series = {}},
        BarChart{.frame = {.title = "Nothing"},
                 .axes = {.values = {.title = "cycles"}, .categories = {"a"}},
                 .series = {{"x", {kNaN}}, {"y", {}}}}}) {
    const XmlElement svg = checked_svg(svg_of(chart));
    EXPECT_THAT(texts_of(svg, "no-data"), ElementsAre("no data"));
    EXPECT_THAT(svg.all("rect", "bar"), IsEmpty());
  }
}

TEST(BarChart, DrawsZerosAsBarsWithoutHeight) {
  const XmlElement svg =
      checked_svg(svg_of(BarChart{.frame = {.title = "Zeros"},
                                  .axes = {.values = {.title = "cycles"}, .categories = {"a", "b"}},
                                  .series = {{"", {0, 0}}}}));
  ASSERT_EQ(svg.all("rect", "bar").size(), 2u);
  EXPECT_EQ(box_of(*svg.all("rect", "bar")[0]).height, 0);
}

TEST(BarChart, EscapesAndCutsNames) {
  const std::string name = "void kernel<float, 16>(float const*, \"int\") & more than fits here";
  const XmlElement svg = checked_svg(
      svg_of(BarChart{.frame = {.title = "<Title> & \"more\""},
                      .axes = {.values = {.title = "<time>", .unit = "s", .numbers = Numbers::kSi},
                               .categories = {name, name + "2", name + "3", "short"}},
                      .series = {{"a<b", {1, 2, 3, 4}}, {"c&d", {1, 2, 3, 4}}}}));
  EXPECT_EQ(svg.attribute("aria-label"), "<Title> & \"more\"");
  EXPECT_THAT(texts_of(svg, "name"), ElementsAre("a<b", "c&d"));
  const auto ticks = svg.all("text", "tick");
  const auto cut = std::find_if(ticks.begin(), ticks.end(),
                                [](const XmlElement* tick) { return tick->text.ends_with("…"); });
  ASSERT_NE(cut, ticks.end());
  EXPECT_EQ((*cut)->all("title")[0]->text, name) << "the whole name is in the tooltip";
}

TEST(BarChart, LeavesOutNamesOfVeryManyBars) {
  BarChart chart{
      .frame = {.title = "Many"}, .axes = {.values = {.title = "cycles"}}, .series = {{"", {}}}};
  for (int i = 0; i < 300; ++i) {
    chart.axes.categories.push_back("program " + std::to_string(i));
    chart.series[0].values.push_back(i);
  }
  const XmlElement svg = checked_svg(svg_of(chart));
  EXPECT_EQ(svg.all("rect", "bar").size(), 300u);
  EXPECT_LT(svg.all("text", "tick").size(), 60u);
}

TEST(BarChart, FollowsTheReadersColourScheme) {
  const std::string svg = svg_of(two_machines());
  EXPECT_THAT(svg, HasSubstr("@media screen and (prefers-color-scheme:dark)"));
  BarChart inside = two_machines();
  inside.frame.standalone = false;
  const std::string inner = svg_of(inside);
  EXPECT_THAT(inner, testing::Not(HasSubstr("<style>")));
  EXPECT_THAT(inner, testing::Not(HasSubstr("xmlns")));
}

TEST(StackedChart, StacksPartsOnEachOther) {
  const XmlElement svg = checked_svg(
      svg_of(StackedChart{.frame = {.title = "Traffic"},
                          .axes = {.values = {.title = "bytes", .numbers = Numbers::kBytes},
                                   .categories = {"L1", "L2"}},
                          .parts = {{"read", {4096, 1024}}, {"written", {2048, kNaN}}}}));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_NEAR(box_of(*bars[2]).bottom(), box_of(*bars[0]).y, kPixel) << "written stands on read";
  EXPECT_NEAR(box_of(*bars[0]).height, 2 * box_of(*bars[2]).height, kPixel * 3);
  EXPECT_THAT(texts_of(svg, "value"), ElementsAre("6 KiB", "1 KiB"));
  EXPECT_EQ(bars[2]->whole_text, "L1, written: 2 KiB (33.3%)");
}

TEST(StackedChart, StretchesSharesToTheWholeLength) {
  const XmlElement svg = checked_svg(svg_of(
      StackedChart{.frame = {.title = "Slots"},
                   .axes = {.values = {.title = "share", .unit = "cycles"},
                            .categories = {"whole run", "scale"},
                            .horizontal = true},
                   .parts = {{"issued", {300, 88}}, {"stall: DRAM", {700, 12}}, {"none", {0, 0}}},
                   .as_shares = true}));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 4u) << "parts of nothing have no mark";
  const double whole = box_of(*bars[0]).width + box_of(*bars[2]).width;
  EXPECT_NEAR(box_of(*bars[1]).width + box_of(*bars[3]).width, whole, kPixel * 2);
  EXPECT_NEAR(box_of(*bars[0]).width, 0.3 * whole, kPixel * 2);
  EXPECT_NEAR(box_of(*bars[2]).x, box_of(*bars[0]).right(), kPixel);
  EXPECT_THAT(texts_of(svg, "on"), testing::UnorderedElementsAre("30%", "88%", "70%", "12%"));
}

TEST(StackedChart, StacksNegativePartsBelowZero) {
  const XmlElement svg = checked_svg(svg_of(StackedChart{
      .frame = {.title = "Change"},
      .axes = {.values = {.title = "change", .numbers = Numbers::kPlain}, .categories = {"a"}},
      .parts = {{"up", {3}}, {"down", {-1}}, {"more", {2}}, {"less", {-2}}}}));
  const auto bars = svg.all("rect", "bar");
  ASSERT_EQ(bars.size(), 4u);
  const double zero = box_of(*bars[0]).bottom();
  EXPECT_NEAR(box_of(*bars[1]).y, zero, kPixel);
  EXPECT_NEAR(box_of(*bars[2]).bottom(), box_of(*bars[0]).y, kPixel);
  EXPECT_NEAR(box_of(*bars[3]).y, box_of(*bars[1]).bottom(), kPixel);
}

TEST(StackedChart, SaysSoWhenThereIsNoData) {
  const XmlElement svg = checked_svg(svg_of(StackedChart{
      .frame = {.title = "Nothing"}, .axes = {.values = {.title = "bytes"}}, .parts = {}}));
  EXPECT_THAT(texts_of(svg, "no-data"), ElementsAre("no data"));
}

}  // namespace
}  // namespace raddle::report
