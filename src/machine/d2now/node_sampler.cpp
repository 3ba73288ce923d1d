#include "machine/d2now/node_sampler.h"

#include <algorithm>

#include "machine/d2now/cause_names.h"

namespace raddle::machine::d2now {
namespace {

double quotient(double value, double base) { return base == 0 ? 0 : value / base; }
double of(std::uint64_t count) { return static_cast<double>(count); }

void add(Sample& sum, const Sample& other) {
  for (std::size_t i = 0; i < kCauses; ++i) sum.time.ticks[i] += other.time.ticks[i];
  sum.counts.l2_accesses += other.counts.l2_accesses;
  sum.counts.l2_misses += other.counts.l2_misses;
  sum.counts.threads += other.counts.threads;
  sum.counts.bytes_sent += other.counts.bytes_sent;
}

}  // namespace

Sample& NodeSampler::current() {
  const std::size_t number = position_ / interval_;
  if (samples_.size() <= number) samples_.resize(number + 1);
  return samples_[number];
}

void NodeSampler::pass(Cause cause, Ticks duration, const SampledCounts& now) {
  SampledCounts& counts = current().counts;
  counts.l2_accesses += now.l2_accesses - counted_.l2_accesses;
  counts.l2_misses += now.l2_misses - counted_.l2_misses;
  counts.threads += now.threads - counted_.threads;
  counts.bytes_sent += now.bytes_sent - counted_.bytes_sent;
  counted_ = now;
  while (duration != 0) {
    const Ticks here = std::min(duration, interval_ - position_ % interval_);
    current().time.add(cause, here);
    position_ += here;
    duration -= here;
  }
}

std::vector<SampleSeries> series_of(const std::vector<const NodeSampler*>& nodes, Ticks interval,
                                    Ticks end, double clock_hz) {
  std::vector<SampleSeries> series{
      {"threads", "threads per cycle", "threads that completed in a cycle, on all nodes", {}},
      {"L2 miss rate", "ratio", "accesses to the L2 that missed; 0: none made", {}},
      {"data sent", "bytes per second", "data that nodes sent to others in a second", {}},
  };
  for (const NamedCause& entry : kCauseNames) {
    series.push_back({std::string(entry.stall), "ratio", std::string(entry.sentence), {}});
  }
  const std::size_t intervals = (end + interval - 1) / interval;
  for (std::size_t i = 0; i < intervals; ++i) {
    Sample sum;
    for (const NodeSampler* node : nodes) {
      // What was counted at the very end lies behind the last interval if that is whole.
      const std::size_t known = node->samples().size();
      const std::size_t behind = i + 1 == intervals ? known : std::min(i + 1, known);
      for (std::size_t k = i; k < behind; ++k) add(sum, node->samples()[k]);
    }
    const double cycles = of(std::min(interval, end - i * interval)) / kTicksPerCycle;
    std::vector<double> values{of(sum.counts.threads) / cycles,
                               quotient(of(sum.counts.l2_misses), of(sum.counts.l2_accesses)),
                               of(sum.counts.bytes_sent) / (cycles / clock_hz)};
    for (const NamedCause& entry : kCauseNames) {
      values.push_back(quotient(of(sum.time[entry.cause]), of(sum.time.sum())));
    }
    for (std::size_t k = 0; k < values.size(); ++k) series[k].values.push_back(values[k]);
  }
  return series;
}

}  // namespace raddle::machine::d2now
