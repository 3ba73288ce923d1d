#include "machine/run/sampler.h"

#include <gtest/gtest.h>

#include <vector>

namespace raddle::machine {
namespace {

#define RADDLE_TEST_USES(CAUSE)             \
  CAUSE(kWork, "work", kIssued, "it works") \
  CAUSE(kRest, "rest", kIdle, "it rests")
RADDLE_CAUSES(Use, kUses, kRest, RADDLE_TEST_USES);

enum Count : std::size_t { kThings, kTries };

// Counts two things and four tries a cycle; works half of the time.
SampleSums steady(Cycle cycle) {
  CycleAccount<kUses> account;
  account.add(Use::kWork, cycle / 2);
  account.add(Use::kRest, cycle - cycle / 2);
  const double cycles = cycle.as_double();
  return {{2 * cycles, 4 * cycles}, account.cycles()};
}

Sampler sampler_of(Cycle interval) {
  return {SampleTable({per_cycle("rate", "things per cycle", "things in a cycle", kThings),
                       bytes_per_second("traffic", "bytes moved", kThings),
                       ratio("success", "things of tries", kThings, kTries)},
                      kUses, 1000),
          steady, Cycle(0), interval};
}

TEST(Sampler, MakesAValueOfEverySeriesAndCauseForEveryInterval) {
  Sampler sampler = sampler_of(Cycle(10));
  for (Cycle cycle(1); cycle < Cycle(24); ++cycle) sampler.look(cycle);
  LaunchResult result;
  sampler.finish(result, Cycle(24));
  EXPECT_EQ(result.sample_cycles, 10u);
  ASSERT_EQ(result.samples.size(), 5u);
  EXPECT_EQ(result.samples[0].values, std::vector<double>({2, 2, 2}));
  EXPECT_EQ(result.samples[1].values, std::vector<double>({2000, 2000, 2000}));
  EXPECT_EQ(result.samples[2].values, std::vector<double>({0.5, 0.5, 0.5}));
  EXPECT_EQ(result.samples[3].values, std::vector<double>({0.5, 0.5, 0.5}));
  EXPECT_EQ(result.samples[0].kind, std::nullopt);
  EXPECT_EQ(result.samples[3].kind, CycleKind::kIssued);
  EXPECT_EQ(result.samples[4].kind, CycleKind::kIdle);
}

TEST(Sampler, LeavesOutIdleCyclesAfterTheEnd) {
  Sampler sampler = sampler_of(Cycle(100));
  LaunchResult result;
  // The machine has gone on to cycle 24; 4 of its idle cycles came after the end.
  const SampleSums counted = steady(Cycle(24));
  EXPECT_EQ(counted.cycles[1], 12);
  sampler = Sampler(
      SampleTable({}, kUses, 1000),
      [&](Cycle cycle) { return cycle == Cycle(0) ? steady(cycle) : counted; }, Cycle(0),
      Cycle(100));
  sampler.finish(result, Cycle(20), Cycle(4));
  EXPECT_EQ(result.samples[0].values, std::vector<double>({0.6}));
  EXPECT_EQ(result.samples[1].values, std::vector<double>({0.4}));
}

TEST(Sampler, GivesZeroWhereNothingWasCounted) {
  Sampler sampler(
      SampleTable({ratio("success", "things of tries", 0, 1)}, kUses, 1),
      [](Cycle) { return SampleSums({0, 0}, CycleAccount<kUses>().cycles()); }, Cycle(0), Cycle(5));
  LaunchResult result;
  sampler.finish(result, Cycle(5));
  for (const SampleSeries& series : result.samples)
    EXPECT_EQ(series.values, std::vector<double>({0})) << series.name;
}

}  // namespace
}  // namespace raddle::machine
