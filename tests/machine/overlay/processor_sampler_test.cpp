// Figures over time: they sum to those of the whole run, and the run does not notice.
#include "machine/overlay/processor_sampler.h"

#include <gtest/gtest.h>

#include <numeric>

#include "machine/overlay/overlay_machine.h"
#include "machine/overlay/small_run.h"

namespace raddle::machine::overlay {
namespace {

constexpr const char* kProgram =
    "TEX r1 r0.rg s0\nMAD r2 r1 r1 r1\nMAD r2 r2 r1 r1\nMOV o0 r2\nEND\n";

LaunchResult sampled(std::uint64_t cycles, std::uint64_t max_cycles = 0) {
  SmallRun run(kProgram, 40, 10);
  run.input(0, 4, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}, {4, 5, 6, 7}});
  LaunchOptions options;
  options.sample_cycles = Cycle(cycles);
  options.control = RunControl(Cycle(max_cycles));
  return OverlayMachine(load_parameters("overlay")).run(run.configuration, run.memory, options);
}

const SampleSeries& series_of(const LaunchResult& result, const std::string& name) {
  for (const SampleSeries& series : result.samples) {
    if (series.name == name) return series;
  }
  ADD_FAILURE() << name;
  return result.samples.front();
}

// A rate or share over all samples, the last of which may be short, times the cycles.
double total(const LaunchResult& result, const SampleSeries& series) {
  double sum = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const std::uint64_t begin = i * result.sample_cycles;
    const std::uint64_t end = std::min(begin + result.sample_cycles, result.cycles);
    sum += series.values[i] * static_cast<double>(end - begin);
  }
  return sum;
}

TEST(OverlaySampler, SumsToTheFiguresOfTheRunWhateverTheInterval) {
  const LaunchResult plain = sampled(0);
  EXPECT_TRUE(plain.samples.empty());
  for (const std::uint64_t interval : {4U, 10U, 100U, 1000U, 1'000'000U}) {
    const LaunchResult result = sampled(interval);
    EXPECT_EQ(result.cycles, plain.cycles) << interval;
    EXPECT_EQ(result.sample_cycles, (interval + 3) / 4 * 4);
    const std::size_t samples = (result.cycles + result.sample_cycles - 1) / result.sample_cycles;
    for (const SampleSeries& series : result.samples)
      EXPECT_EQ(series.values.size(), samples) << series.name << " every " << interval;
    EXPECT_NEAR(total(result, series_of(result, "IPC")),
                static_cast<double>(plain.thread_instructions), 1e-6);
    for (const Stall& stall : plain.stalls)
      EXPECT_NEAR(total(result, series_of(result, stall.name)), stall.cycles, 1e-6) << stall.name;
    const double bytes = total(result, series_of(result, "texels read")) / 100e6;
    EXPECT_NEAR(bytes, 400 * 16, 1e-6);
  }
}

TEST(OverlaySampler, ShowsTheConfigurationFirst) {
  const LaunchResult result = sampled(4);
  const SampleSeries& configuration = series_of(result, "configuration");
  const SampleSeries& issued = series_of(result, "issued");
  std::size_t first = 0;
  while (configuration.values[first] == 1) ++first;
  EXPECT_EQ(static_cast<double>(first) * 4, result.stalls.back().cycles);
  for (std::size_t i = 0; i < first; ++i) EXPECT_EQ(issued.values[i], 0);
  for (std::size_t i = first; i < configuration.values.size(); ++i)
    EXPECT_EQ(configuration.values[i], 0) << i;
}

TEST(OverlaySampler, StopsWhereTheRunIsStopped) {
  const LaunchResult early = sampled(8, 16);  // within the configuration
  EXPECT_FALSE(early.complete);
  EXPECT_EQ(series_of(early, "configuration").values, std::vector<double>({1, 1}));
  const LaunchResult later = sampled(100, 450);
  EXPECT_FALSE(later.complete);
  EXPECT_EQ(series_of(later, "IPC").values.size(), 5U);
}

}  // namespace
}  // namespace raddle::machine::overlay
