// Line charts, distributions, scatter charts and rooflines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/charts/svg_cdf_chart.h"
#include "report/charts/svg_line_chart.h"
#include "report/charts/svg_roofline_chart.h"
#include "report/charts/svg_scatter_chart.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t count_of(const std::string& text, char wanted) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), wanted));
}

// The absolute points of a path of M, L, H and V.
std::vector<ChartPoint> points_of(const std::string& path) {
  std::vector<ChartPoint> points;
  const char* at = path.c_str();
  double x = 0, y = 0;
  while (*at != '\0') {
    const char command = *at++;
    char* end = nullptr;
    if (command != 'V') {
      x = std::strtod(at, &end);
      at = end;
    }
    if (command != 'H') {
      y = std::strtod(at, &end);
      at = end;
    }
    points.push_back({x, y});
  }
  return points;
}

LineChart two_lines() {
  return {.frame = {.title = "Sweep"},
          .axes = {{.title = "size", .numbers = Numbers::kPlain},
                   {.title = "time", .unit = "s", .numbers = Numbers::kSi},
                   true},
          .series = {{"a", {{1, 1e-6}, {2, 2e-6}, {3, kNaN}, {4, 4e-6}}},
                     {"b", {{1, 3e-6}, {4, 1e-6}}}}};
}

TEST(LineChart, BreaksALineWhereAValueIsMissing) {
  const XmlElement svg = checked_svg(svg_of(two_lines()));
  const auto lines = svg.all("path", "line");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(count_of(lines[0]->attribute("d"), 'M'), 2u);
  EXPECT_EQ(count_of(lines[1]->attribute("d"), 'M'), 1u);
  EXPECT_EQ(svg.all("path", "point").size(), 5u);
}

TEST(LineChart, PutsPointsWhereTheirValuesAre) {
  const XmlElement svg = checked_svg(svg_of(two_lines()));
  const std::vector<ChartPoint> points = points_of(svg.all("path", "line")[0]->attribute("d"));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR(points[2].x - points[0].x, 3 * (points[1].x - points[0].x), 0.05);
  EXPECT_NEAR(points[2].y - points[0].y, 3 * (points[1].y - points[0].y), 0.05);
  EXPECT_LT(points[1].y, points[0].y) << "up is more";
}

TEST(LineChart, DrawsPowersAsStraightLinesOnLogarithmicAxes) {
  LineChart chart = two_lines();
  chart.axes = {{.title = "n", .logarithmic = true}, {.title = "t", .logarithmic = true}};
  chart.series = {{"square", {{1, 1}, {10, 100}, {100, 1e4}, {0, 5}, {5, -1}}}};
  const XmlElement svg = checked_svg(svg_of(chart));
  const std::vector<ChartPoint> points = points_of(svg.all("path", "line")[0]->attribute("d"));
  ASSERT_EQ(points.size(), 3u) << "zero and negative values have no place";
  EXPECT_NEAR(points[2].x - points[1].x, points[1].x - points[0].x, 0.05);
  EXPECT_NEAR(points[2].y - points[1].y, points[1].y - points[0].y, 0.05);
}

TEST(LineChart, ShowsOnePointAndNone) {
  LineChart chart = two_lines();
  chart.series = {{"a", {{3, 4}}}};
  EXPECT_EQ(checked_svg(svg_of(chart)).all("path", "point").size(), 1u);
  chart.series = {{"a", {{3, kNaN}}}, {"b", {}}};
  EXPECT_THAT(texts_of(checked_svg(svg_of(chart)), "no-data"), ElementsAre("no data"));
}

TEST(LineChart, LeavesMarkersOutOfLongLines) {
  LineChart chart = two_lines();
  chart.series = {{"", {}}};
  for (int i = 0; i < 1000; ++i)
    chart.series[0].points.push_back({static_cast<double>(i), std::sin(i * 0.01)});
  const XmlElement svg = checked_svg(svg_of(chart));
  EXPECT_EQ(svg.all("path", "point").size(), 0u);
  EXPECT_EQ(svg.all("path", "line").size(), 1u);
}

TEST(CdfChart, StepsUpByTheShareOfEachValue) {
  const XmlElement svg = checked_svg(svg_of(CdfChart{.frame = {.title = "Distances"},
                                                     .x = {.title = "distance", .unit = "threads"},
                                                     .what = "reads",
                                                     .series = {{"", {{1}, {3}, {1}, {4}}}}}));
  const auto lines = svg.all("path", "line");
  ASSERT_EQ(lines.size(), 1u);
  const std::vector<ChartPoint> points = points_of(lines[0]->attribute("d"));
  ASSERT_EQ(points.size(), 8u);  // the start, three stairs of two, the end
  const double bottom = points[0].y;
  const double height = bottom - points.back().y;
  EXPECT_NEAR(bottom - points[2].y, height / 2, 0.05) << "two of four are 1";
  EXPECT_NEAR(bottom - points[4].y, height * 3 / 4, 0.05);
  EXPECT_THAT(texts_of(svg, "axis-title"),
              ElementsAre("share of reads at or below", "distance (threads)"));
  EXPECT_EQ(svg.all("path", "point")[0]->whole_text, "median 1, least 1, greatest 4, of 4");
}

TEST(CdfChart, CountsAValueAsOftenAsItsWeightSays) {
  const auto path_of = [](std::vector<Sample> samples) {
    return checked_svg(svg_of(CdfChart{.frame = {.title = "Distances"},
                                       .x = {.title = "distance"},
                                       .series = {{"", std::move(samples)}}}))
        .all("path", "line")[0]
        ->attribute("d");
  };
  EXPECT_EQ(path_of({{1, 2}, {5, 1}, {9, 3}}), path_of({{1}, {1}, {5}, {9}, {9}, {9}}));
  EXPECT_EQ(path_of({{1, 2}, {2, 0}, {3, -1}, {4, kNaN}, {5, 1}}), path_of({{1, 2}, {5, 1}}));
}

TEST(CdfChart, SaysSoWhenThereIsNoSample) {
  const XmlElement svg = checked_svg(svg_of(CdfChart{.frame = {.title = "Nothing"},
                                                     .x = {.title = "x", .logarithmic = true},
                                                     .series = {{"", {{-1}, {0}}}}}));
  EXPECT_THAT(texts_of(svg, "no-data"), ElementsAre("no data"));
}

TEST(ScatterChart, LabelsPointsWhereThereIsRoom) {
  ScatterChart chart{
      .frame = {.title = "Energy and time"},
      .axes = {{.title = "time", .numbers = Numbers::kPlain},
               {.title = "energy", .numbers = Numbers::kPlain}},
      .series = {{"fermi", {{1, 1, "vecadd"}, {5, 5, "matmul"}}}, {"cgra", {{3, kNaN, "lost"}}}}};
  XmlElement svg = checked_svg(svg_of(chart));
  EXPECT_EQ(svg.all("path", "point").size(), 2u);
  EXPECT_THAT(texts_of(svg, "label"), ElementsAre("vecadd", "matmul"));
  for (int i = 0; i < 50; ++i) chart.series[0].points.push_back({5, 5, "one of many"});
  svg = checked_svg(svg_of(chart));
  EXPECT_EQ(svg.all("path", "point").size(), 52u);
  EXPECT_LT(texts_of(svg, "label").size(), 8u);
  EXPECT_EQ(svg.all("path", "point")[1]->whole_text, "fermi, matmul: time 5, energy 5");
}

TEST(RooflineChart, BendsTheRoofAtTheRidge) {
  const XmlElement svg = checked_svg(svg_of(RooflineChart{
      .frame = {.title = "Roofline"},
      .work = "thread instructions",
      .work_per_second = 800e9,
      .bytes_per_second = 200e9,
      .series = {{"", {{4, 800e9, "ridge"}, {1, 200e9, "on the slope"}, {0, 1e9, "no memory"}}}}}));
  const std::vector<ChartPoint> roof = points_of(svg.all("path", "roof")[0]->attribute("d"));
  ASSERT_EQ(roof.size(), 3u);
  EXPECT_EQ(roof[1].y, roof[2].y) << "flat to the right";
  EXPECT_GT(roof[0].y, roof[1].y) << "rising to the left";
  ASSERT_EQ(svg.all("path", "point").size(), 2u) << "a point without traffic has no place";
  // A circle begins 3.5 pixels to the left of its middle.
  const std::string ridge = svg.all("path", "point")[0]->attribute("d");
  EXPECT_NEAR(std::strtod(ridge.c_str() + 1, nullptr) + 3.5, roof[1].x, 0.05);
  EXPECT_THAT(texts_of(svg, "label"), testing::IsSupersetOf({"800 G/s", "200 GB/s"}));
  EXPECT_THAT(svg.all("desc")[0]->text, HasSubstr("at most 800 G thread instructions per second"));
}

TEST(RooflineChart, ShowsAPointWithoutTrafficAtTheRightEnd) {
  const double none = std::numeric_limits<double>::infinity();
  const XmlElement svg = checked_svg(
      svg_of(RooflineChart{.frame = {.title = "Roofline"},
                           .work_per_second = 800e9,
                           .bytes_per_second = 200e9,
                           .series = {{"", {{none, 300e9, "whole run (no traffic)"}}}}}));
  ASSERT_EQ(svg.all("path", "point").size(), 1u);
  const std::vector<ChartPoint> roof = points_of(svg.all("path", "roof")[0]->attribute("d"));
  const std::string point = svg.all("path", "point")[0]->attribute("d");
  EXPECT_NEAR(std::strtod(point.c_str() + 1, nullptr) + 3.5, roof[2].x, 0.05);
  EXPECT_THAT(texts_of(svg, "label"), testing::Contains("whole run (no traffic)"));
  EXPECT_THAT(svg.all("desc")[0]->text, HasSubstr("per byte of memory traffic ∞"));
}

}  // namespace
}  // namespace raddle::report
