#include "report/sample_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/page/sample_figures.h"

namespace raddle::report {
namespace {

using experiment::RunResult;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

// A nanosecond a cycle.
machine::LaunchResult launch_of(std::uint64_t cycles, std::uint64_t every,
                                std::vector<machine::SampleSeries> samples) {
  machine::LaunchResult launch;
  launch.cycles = cycles;
  launch.seconds = static_cast<double>(cycles) * 1e-9;
  launch.sample_cycles = every;
  launch.samples = std::move(samples);
  return launch;
}

machine::SampleSeries series_of(const std::string& name, std::vector<double> values,
                                const std::string& unit = "things") {
  return {name, unit, "what it is", std::move(values)};
}

RunResult result_of(std::vector<machine::LaunchResult> launches) {
  RunResult result;
  for (machine::LaunchResult& launch : launches) add_launch(result, std::move(launch));
  return result;
}

TEST(SampleTimeline, IsEmptyWithoutSamples) {
  const SampleTimeline timeline = sample_timeline(result_of({launch_of(100, 0, {})}));
  EXPECT_TRUE(timeline.steps.empty());
  EXPECT_TRUE(sample_figures(result_of({launch_of(100, 0, {})})).empty());
}

TEST(SampleTimeline, LetsTheLastSampleOfALaunchEndWithIt) {
  const SampleTimeline timeline =
      sample_timeline(result_of({launch_of(250, 100, {series_of("a", {1, 2, 3})})}));
  ASSERT_EQ(timeline.steps.size(), 3u);
  EXPECT_THAT(timeline.steps[2].begin, DoubleEq(200e-9));
  EXPECT_THAT(timeline.steps[2].end, DoubleEq(250e-9));
  EXPECT_EQ(timeline.sample_cycles, 100u);
}

TEST(SampleTimeline, PutsLaunchesOneAfterTheOtherAndLeavesGapsForWhatTheyDidNotSample) {
  const SampleTimeline timeline = sample_timeline(
      result_of({launch_of(200, 100, {series_of("a", {1, 2})}), launch_of(1000, 0, {}),
                 launch_of(100, 50, {series_of("b", {5, 6})})}));
  ASSERT_EQ(timeline.steps.size(), 4u);
  EXPECT_THAT(timeline.steps[2].begin, DoubleEq(1200e-9));
  ASSERT_EQ(timeline.series.size(), 2u);
  EXPECT_THAT(timeline.series[0].values, ElementsAre(1, 2, IsNan(), IsNan()));
  EXPECT_THAT(timeline.series[1].values, ElementsAre(IsNan(), IsNan(), 5, 6));
  EXPECT_EQ(timeline.sample_cycles, 0u) << "they differ";
}

TEST(SampleTimeline, KeepsTheMeanWhenThinned) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i % 2 == 0 ? 10 : 20);
  const SampleTimeline timeline =
      sample_timeline(result_of({launch_of(100'000, 100, {series_of("a", values)})}));
  const SampleTimeline thin = thinned(timeline, 50);
  ASSERT_EQ(thin.steps.size(), 50u);
  for (const double value : thin.series[0].values) EXPECT_NEAR(value, 15, 1e-9);
  EXPECT_NEAR(thin.end(), timeline.end(), 1e-15);
  EXPECT_EQ(thinned(timeline, 1000).steps.size(), 1000u) << "nothing to do";
}

TEST(SampleTimeline, WeighsSamplesByTheTimeTheyStandFor) {
  // Two samples of 100 cycles and one of 50, in two steps of 125.
  const SampleTimeline thin =
      thinned(sample_timeline(result_of({launch_of(250, 100, {series_of("a", {4, 8, 16})})})), 2);
  EXPECT_THAT(thin.series[0].values, ElementsAre(DoubleEq((100 * 4 + 25 * 8) / 125.0),
                                                 DoubleEq((75 * 8 + 50 * 16) / 125.0)));
}

TEST(SampleFigures, DrawOneChartAUnitAndStackTheIssueSlots) {
  const std::vector<ReportFigure> figures = sample_figures(
      result_of({launch_of(300, 100,
                           {{"issued", "ratio", "", {0.5, 0.25, 1}, machine::CycleKind::kIssued},
                            series_of("row hits", {3, 4, 5}),
                            {"DRAM", "ratio", "", {0.5, 0.75, 0}, machine::CycleKind::kStall},
                            series_of("misses", {1, 1, 1}),
                            series_of("L1 hits", {0.9, 0.8, 0.7}, "ratio")})}));
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].title, "Issue slots over time");
  EXPECT_THAT(figures[0].svg, HasSubstr("stall: DRAM"));
  EXPECT_EQ(figures[1].title, "Things over time");
  EXPECT_EQ(figures[2].title, "L1 hits over time");
  for (const ReportFigure& figure : figures) EXPECT_TRUE(figure.wide);
}

TEST(SampleFigures, LeaveOutTheSmallestOfMoreLinesThanThereAreColours) {
  std::vector<machine::SampleSeries> samples;
  for (int i = 0; i < 11; ++i) samples.push_back(series_of("s" + std::to_string(i), {i + 1.0}));
  const std::vector<ReportFigure> figures = sample_figures(result_of({launch_of(9, 9, samples)}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(figures[0].note,
              HasSubstr(" 3 smaller ones are not drawn. One sample every 9 cycles."));
  EXPECT_THAT(figures[0].svg, HasSubstr("s10"));
  EXPECT_THAT(figures[0].svg, testing::Not(HasSubstr("s2<")));
}

TEST(SampleFigures, SayThatSamplesWereAveraged) {
  const std::vector<ReportFigure> figures = sample_figures(
      result_of({launch_of(100'000, 100, {series_of("a", std::vector<double>(1000, 1))})}));
  EXPECT_THAT(figures.at(0).note, HasSubstr("One sample every 100 cycles, averaged to fit."));
}

}  // namespace
}  // namespace raddle::report
