#include "machine/cgra/fabric_sampler.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "machine/cgra/launch_figures.h"
#include "machine/memory_figures.h"

namespace raddle::machine::cgra {

namespace {

// In the order in which add_sample() gives their values.
std::vector<SampleSeries> all_series() {
  std::vector<SampleSeries> series{
      {"IPC", "thread instructions per cycle", "nodes that fired in a cycle", {}},
      {"injected", "threads per cycle", "threads injected in a cycle, piece by piece", {}},
      {"DRAM traffic", "bytes per second", "bytes read from and written to DRAM in a second", {}},
      {"DRAM share of peak", "ratio", "time in which the data buses of DRAM moved data", {}},
      {"L1 hit rate", "ratio", "accesses to the L1 that found their line; 0: none made", {}},
      {"L2 hit rate", "ratio", "accesses to the L2 that found their line; 0: none made", {}},
  };
  for (std::size_t use = 0; use < kUnitUses; ++use) {
    const auto unit_use = static_cast<UnitUse>(use);
    series.push_back({stall_name(unit_use),
                      "ratio",
                      "unit cycles that went so: " + std::string(name_of(unit_use)),
                      {}});
  }
  return series;
}

double quotient(double value, double base) { return base == 0 ? 0 : value / base; }
double of(std::uint64_t count) { return static_cast<double>(count); }

double accesses(const memory::CacheStats& stats) {
  return of(stats.hits + stats.misses + stats.merged);
}

}  // namespace

FabricSampler::FabricSampler(Fabric& fabric, std::uint64_t cycles)
    : fabric_(fabric),
      intervals_(fabric.now(), in_whole_quanta(cycles, fabric.quantum_cycles())),
      before_(fabric.counts()),
      series_(all_series()) {}

void FabricSampler::Sums::add(const Sums& other, double share) {
  firings += other.firings * share;
  threads += other.threads * share;
  dram_bytes += other.dram_bytes * share;
  dram_busy += other.dram_busy * share;
  l1_hits += other.l1_hits * share;
  l1_accesses += other.l1_accesses * share;
  l2_hits += other.l2_hits * share;
  l2_accesses += other.l2_accesses * share;
  for (std::size_t use = 0; use < kUnitUses; ++use) uses[use] += other.uses[use] * share;
}

FabricSampler::Sums FabricSampler::counted_since_last_look() {
  FabricCounts counts = fabric_.counts();
  const FabricCounts before = std::exchange(before_, counts);
  counts -= before;
  const MemoryTraffic dram = dram_traffic(counts.memory.dram, fabric_.parameters().memory.dram);
  Sums sums{.threads = of(counts.tokens.threads),
            .dram_bytes = of(dram.bytes_read + dram.bytes_written),
            .dram_busy = of(counts.memory.dram.bus_busy_cycles),
            .l1_hits = of(counts.l1.hits),
            .l1_accesses = accesses(counts.l1),
            .l2_hits = of(counts.memory.l2.hits),
            .l2_accesses = accesses(counts.memory.l2)};
  for (std::size_t unit = 0; unit < kUnitClasses; ++unit) {
    sums.firings += of(counts.firings[unit]);
    for (std::size_t use = 0; use < kUnitUses; ++use)
      sums.uses[use] += of(counts.cycles[unit][use]);
  }
  return sums;
}

void FabricSampler::take(std::uint64_t cycle) {
  intervals_.look(cycle, counted_since_last_look(),
                  [this](const Sums& sums, double cycles) { add_sample(sums, cycles); });
}

void FabricSampler::add_sample(const Sums& sums, double cycles) {
  const FabricParameters& parameters = fabric_.parameters();
  const double seconds = cycles / parameters.core_clock.count();
  std::vector<double> values{
      sums.firings / cycles,
      sums.threads / cycles,
      sums.dram_bytes / seconds,
      // A burst under way at the interval's end is counted at its begin.
      std::min(1.0, sums.dram_busy / (seconds * parameters.memory.dram_clock.count()) /
                        parameters.memory.channels),
      quotient(sums.l1_hits, sums.l1_accesses),
      quotient(sums.l2_hits, sums.l2_accesses),
  };
  const double all = std::accumulate(sums.uses.begin(), sums.uses.end(), 0.0);
  for (const double use : sums.uses) values.push_back(quotient(use, all));
  for (std::size_t i = 0; i < values.size(); ++i) series_[i].values.push_back(values[i]);
}

void FabricSampler::finish(LaunchResult& result, std::uint64_t end) {
  Sums counted = counted_since_last_look();
  // The last quantum goes on behind the end, with nothing to do.
  const FabricParameters& parameters = fabric_.parameters();
  const std::uint64_t units =
      std::accumulate(parameters.units.begin(), parameters.units.end(), std::uint64_t{0});
  counted.uses[static_cast<std::size_t>(UnitUse::kNoThread)] -=
      of((fabric_.now() - end) * units * parameters.cores);
  intervals_.finish(end, counted,
                    [this](const Sums& sums, double cycles) { add_sample(sums, cycles); });
  result.sample_cycles = intervals_.interval();
  result.samples = std::move(series_);
}

}  // namespace raddle::machine::cgra
