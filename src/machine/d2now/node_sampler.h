// Figures of a node over time (--sample N): where its time went in each interval, and what its
// parts counted meanwhile. Counts are looked at whenever time passes, and belong to the interval in
// which that time begins.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/d2now/cycle_account.h"
#include "machine/launch_result.h"

namespace raddle::machine::d2now {

// What is sampled beside time, since the start.
struct SampledCounts {
  std::uint64_t l2_accesses = 0, l2_misses = 0, threads = 0, bytes_sent = 0;
};

struct Sample {
  CycleAccount time;
  SampledCounts counts;
};

class NodeSampler {
 public:
  explicit NodeSampler(Ticks interval) : interval_(interval) {}

  // So much more time has passed; `now` is what was counted until then.
  void pass(Cause cause, Ticks duration, const SampledCounts& now);
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Sample& current();

  Ticks interval_;
  Ticks position_ = 0;
  SampledCounts counted_;  // that went into samples already
  std::vector<Sample> samples_;
};

// All nodes' samples, as shares of their time and as rates.
std::vector<SampleSeries> series_of(const std::vector<const NodeSampler*>& nodes, Ticks interval,
                                    Ticks end, double clock_hz);

}  // namespace raddle::machine::d2now
