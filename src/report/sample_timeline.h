// Samples of all launches on one time line: launches follow each other, series of one name are one
// series. A series that a launch did not sample has not-a-number there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

struct SampleTimeline {
  // Simulated seconds since the first launch began; the time between launches does not count.
  struct Step {
    double begin = 0, end = 0;
    double middle() const { return (begin + end) / 2; }
  };
  std::vector<Step> steps;
  std::vector<machine::SampleSeries> series;  // each with a value for every step
  std::uint64_t sample_cycles = 0;            // 0: launches differ

  double end() const { return steps.empty() ? 0 : steps.back().end; }
};

// Empty without --sample.
SampleTimeline sample_timeline(const experiment::RunResult& result);

// At most so many steps, of equal length; values are averaged over time.
SampleTimeline thinned(const SampleTimeline& timeline, std::size_t most);

}  // namespace raddle::report
