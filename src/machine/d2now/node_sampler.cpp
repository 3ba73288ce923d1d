#include "machine/d2now/node_sampler.h"

#include <algorithm>

#include "machine/run/sampler.h"

namespace raddle::machine::d2now {
namespace {

std::vector<SeriesSpec> node_series() {
  return {
      per_cycle("threads", "threads per cycle", "threads that completed in a cycle, on all nodes",
                kThreads),
      ratio("L2 miss rate", "accesses to the L2 that missed; 0: none made", kL2Misses, kL2Accesses),
      bytes_per_second("data sent", "data that nodes sent to others in a second", kBytesSent),
  };
}

void add(SampledCounts& sum, const SampledCounts& other) {
  for (std::size_t i = 0; i < kSampledCounts; ++i) sum[i] += other[i];
}

}  // namespace

Sample& NodeSampler::current() {
  const std::size_t number = position_ / interval_;
  if (samples_.size() <= number) samples_.resize(number + 1);
  return samples_[number];
}

void NodeSampler::pass(NodeCause cause, Ticks duration, const SampledCounts& now) {
  SampledCounts& counts = current().counts;
  for (std::size_t i = 0; i < kSampledCounts; ++i) counts[i] += now[i] - counted_[i];
  counted_ = now;
  while (duration != Ticks(0)) {
    const Ticks here = std::min(duration, interval_ - position_ % interval_);
    current().time.add(cause, here);
    position_ += here;
    duration -= here;
  }
}

std::vector<SampleSeries> series_of(const std::vector<const NodeSampler*>& nodes, Ticks interval,
                                    Ticks end, double clock_hz) {
  SampleTable table(node_series(), kNodeCauses, clock_hz);
  const std::size_t intervals = (end + interval - Ticks(1)) / interval;
  for (std::size_t i = 0; i < intervals; ++i) {
    Sample sum;
    for (const NodeSampler* node : nodes) {
      // What was counted at the very end lies after the last interval if that is whole.
      const std::size_t known = node->samples().size();
      const std::size_t until = i + 1 == intervals ? known : std::min(i + 1, known);
      for (std::size_t k = i; k < until; ++k) {
        sum.time += node->samples()[k].time;
        add(sum.counts, node->samples()[k].counts);
      }
    }
    table.add(SampleSums({sum.counts.begin(), sum.counts.end()}, sum.time.cycles()),
              cycles_of(std::min(interval, end - i * interval)));
  }
  return table.take();
}

}  // namespace raddle::machine::d2now
