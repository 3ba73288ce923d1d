#include "report/sample_timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace raddle::report {

namespace {

using machine::LaunchResult;
using machine::SampleSeries;

constexpr double kNotSampled = std::numeric_limits<double>::quiet_NaN();

SampleSeries& series_like(SampleTimeline& timeline, const SampleSeries& wanted) {
  const auto same = [&](const SampleSeries& other) {
    return other.name == wanted.name && other.unit == wanted.unit && other.kind == wanted.kind;
  };
  const auto place = std::find_if(timeline.series.begin(), timeline.series.end(), same);
  if (place != timeline.series.end()) return *place;
  timeline.series.push_back({wanted.name, wanted.unit, wanted.sentence, {}, wanted.kind});
  return timeline.series.back();
}

std::size_t sample_count(const LaunchResult& launch) {
  std::size_t count = 0;
  for (const SampleSeries& series : launch.samples) count = std::max(count, series.values.size());
  return count;
}

void append_launch(SampleTimeline& timeline, const LaunchResult& launch, double start) {
  const double cycle = launch.seconds / static_cast<double>(launch.cycles);
  const double step = cycle * static_cast<double>(launch.sample_cycles);
  const std::size_t before = timeline.steps.size();
  const std::size_t count = sample_count(launch);
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = std::min(static_cast<double>(i) * step, launch.seconds);
    const double end = std::min(static_cast<double>(i + 1) * step, launch.seconds);
    timeline.steps.push_back({start + begin, start + end});
  }
  for (const SampleSeries& sampled : launch.samples) {
    SampleSeries& series = series_like(timeline, sampled);
    series.values.resize(before, kNotSampled);
    series.values.insert(series.values.end(), sampled.values.begin(), sampled.values.end());
  }
  for (SampleSeries& series : timeline.series)
    series.values.resize(timeline.steps.size(), kNotSampled);
}

}  // namespace

SampleTimeline sample_timeline(const experiment::RunResult& result) {
  SampleTimeline timeline;
  double now = 0;
  for (const LaunchResult& launch : result.launches) {
    if (launch.sample_cycles != 0 && launch.cycles != 0 && sample_count(launch) != 0) {
      const bool first = timeline.steps.empty();
      const bool same = first || timeline.sample_cycles == launch.sample_cycles;
      timeline.sample_cycles = same ? launch.sample_cycles : 0;
      append_launch(timeline, launch, now);
    }
    now += launch.added_seconds();
  }
  return timeline;
}

SampleTimeline thinned(const SampleTimeline& timeline, std::size_t most) {
  if (timeline.steps.size() <= most) return timeline;
  const double start = timeline.steps.front().begin;
  const double width = (timeline.end() - start) / static_cast<double>(most);
  if (!(width > 0)) return timeline;
  SampleTimeline thin;
  thin.sample_cycles = timeline.sample_cycles;
  for (std::size_t i = 0; i < most; ++i) {
    const double begin = start + static_cast<double>(i) * width;
    thin.steps.push_back({begin, begin + width});
  }
  for (const SampleSeries& series : timeline.series) {
    std::vector<double> sums(most, 0), weights(most, 0);
    for (std::size_t s = 0; s < timeline.steps.size(); ++s) {
      const SampleTimeline::Step& step = timeline.steps[s];
      if (!std::isfinite(series.values[s])) continue;
      auto bin = static_cast<std::size_t>(std::max(0.0, (step.begin - start) / width));
      for (; bin < most && thin.steps[bin].begin < step.end; ++bin) {
        const double overlap =
            std::min(step.end, thin.steps[bin].end) - std::max(step.begin, thin.steps[bin].begin);
        if (overlap <= 0) continue;
        sums[bin] += overlap * series.values[s];
        weights[bin] += overlap;
      }
    }
    SampleSeries& mean = thin.series.emplace_back(
        SampleSeries{series.name, series.unit, series.sentence, {}, series.kind});
    for (std::size_t i = 0; i < most; ++i)
      mean.values.push_back(weights[i] > 0 ? sums[i] / weights[i] : kNotSampled);
  }
  return thin;
}

}  // namespace raddle::report
