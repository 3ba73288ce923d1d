// Figures of a node over time (--sample N): where its time went in each interval, and what its
// parts counted meanwhile. Unlike machines whose counts are looked at now and then, a node knows
// the cause of every tick when it passes, so time is cut exactly; counts belong to the interval in
// which that time begins.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/d2now/d2now_parameters.h"
#include "machine/d2now/node_cause.h"
#include "machine/launch_result.h"

namespace raddle::machine::d2now {

// What is sampled beside time.
enum SampledCount : std::size_t { kL2Accesses, kL2Misses, kThreads, kBytesSent, kSampledCounts };
using SampledCounts = std::array<std::uint64_t, kSampledCounts>;

struct Sample {
  NodeAccount time;
  SampledCounts counts{};
};

class NodeSampler {
 public:
  explicit NodeSampler(Ticks interval) : interval_(interval) {}

  // So much more time has passed; `now` is what was counted until then.
  void pass(NodeCause cause, Ticks duration, const SampledCounts& now);
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Sample& current();

  Ticks interval_;
  Ticks position_;
  SampledCounts counted_{};  // that went into samples already
  std::vector<Sample> samples_;
};

// All nodes' samples, as shares of their time and as rates.
std::vector<SampleSeries> series_of(const std::vector<const NodeSampler*>& nodes, Ticks interval,
                                    Ticks end, double clock_hz);

}  // namespace raddle::machine::d2now
