#include "machine/run/memory_series.h"

#include <algorithm>

#include "machine/memory_figures.h"
#include "machine/run/ratio.h"

namespace raddle::machine {

namespace {

double accesses(const memory::CacheStats& stats) {
  return of(stats.hits + stats.misses + stats.merged);
}

}  // namespace

std::vector<double> memory_counts(const memory::DramStats& dram, const memory::CacheStats& l1,
                                  const memory::CacheStats& l2,
                                  const memory::MemorySystemSpec& spec) {
  const MemoryTraffic traffic = dram_traffic(dram, spec.dram);
  return {of(traffic.bytes_read + traffic.bytes_written),
          dram.bus_busy_cycles.as_double(),
          of(l1.hits),
          accesses(l1),
          of(l2.hits),
          accesses(l2)};
}

std::vector<SeriesSpec> memory_series(const memory::MemorySystemSpec& spec) {
  const double clock = spec.dram_clock.count();
  const std::uint32_t channels = spec.channels;
  // A burst under way at the interval's end is counted at its begin.
  const auto busy = [clock, channels](const SampledInterval& in) {
    return std::min(1.0, in.counts[kDramBusy] / (in.seconds * clock) / channels);
  };
  return {bytes_per_second("DRAM traffic", "bytes read from and written to DRAM in a second",
                           kDramBytes),
          {"DRAM share of peak", "ratio", "time in which the data buses of DRAM moved data", busy},
          ratio("L1 hit rate", "accesses to the L1 that found their line; 0: none made", kL1Hits,
                kL1Accesses),
          ratio("L2 hit rate", "accesses to the L2 that found their line; 0: none made", kL2Hits,
                kL2Accesses)};
}

}  // namespace raddle::machine
