#include "machine/simt/sampler.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "machine/memory_figures.h"

namespace raddle::machine::simt {

namespace {

// In the order in which add_sample() gives their values.
std::vector<SampleSeries> all_series() {
  std::vector<SampleSeries> series{
      {"IPC", "thread instructions per cycle", "thread instructions issued in a cycle", {}},
      {"DRAM traffic", "bytes per second", "bytes read from and written to DRAM in a second", {}},
      {"DRAM share of peak", "ratio", "time in which the data buses of DRAM moved data", {}},
      {"L1 hit rate", "ratio", "accesses to the L1 that found their line; 0: none made", {}},
      {"L2 hit rate", "ratio", "accesses to the L2 that found their line; 0: none made", {}},
      {"resident warps", "warps", "warps on a multiprocessor, averaged over all of them", {}},
  };
  for (const SlotUseText& use : kSlotUseTexts)
    series.push_back({std::string(use.name), "ratio", std::string(use.sentence), {}});
  return series;
}

double quotient(double value, double base) { return base == 0 ? 0 : value / base; }
double of(std::uint64_t count) { return static_cast<double>(count); }

double accesses(const memory::CacheStats& stats) {
  return of(stats.hits + stats.misses + stats.merged);
}

}  // namespace

Sampler::Sampler(Gpu& gpu, const GpuParameters& parameters, std::uint64_t cycles)
    : gpu_(gpu),
      parameters_(parameters),
      intervals_(gpu.now(), in_whole_quanta(cycles, gpu.quantum_cycles())),
      before_(gpu.counts()),
      series_(all_series()) {}

void Sampler::Sums::add(const Sums& other, double share) {
  thread_instructions += other.thread_instructions * share;
  dram_bytes += other.dram_bytes * share;
  dram_busy += other.dram_busy * share;
  l1_hits += other.l1_hits * share;
  l1_accesses += other.l1_accesses * share;
  l2_hits += other.l2_hits * share;
  l2_accesses += other.l2_accesses * share;
  warp_cycles += other.warp_cycles * share;
  for (std::size_t use = 0; use < kSlotUses; ++use) slots[use] += other.slots[use] * share;
}

Sampler::Sums Sampler::counted_since_last_look() {
  GpuCounts counts = gpu_.counts();
  const GpuCounts before = std::exchange(before_, counts);
  counts -= before;
  const MemoryTraffic dram = dram_traffic(counts.dram, parameters_.memory.dram);
  Sums sums{.thread_instructions = of(counts.thread_instructions),
            .dram_bytes = of(dram.bytes_read + dram.bytes_written),
            .dram_busy = of(counts.dram.bus_busy_cycles),
            .l1_hits = of(counts.l1.hits),
            .l1_accesses = accesses(counts.l1),
            .l2_hits = of(counts.l2.hits),
            .l2_accesses = accesses(counts.l2),
            .warp_cycles = of(counts.warp_cycles)};
  for (std::size_t use = 0; use < kSlotUses; ++use) sums.slots[use] = of(counts.slots[use]);
  return sums;
}

void Sampler::look(std::uint64_t cycle, const Sums& counted) {
  intervals_.look(cycle, counted,
                  [this](const Sums& sums, double cycles) { add_sample(sums, cycles); });
}

void Sampler::add_sample(const Sums& sums, double cycles) {
  const double seconds = cycles / parameters_.core_clock.count();
  std::vector<double> values{
      sums.thread_instructions / cycles,
      sums.dram_bytes / seconds,
      // A burst under way at the interval's end is counted at its begin.
      std::min(1.0, sums.dram_busy / (seconds * parameters_.memory.dram_clock.count()) /
                        parameters_.memory.channels),
      quotient(sums.l1_hits, sums.l1_accesses),
      quotient(sums.l2_hits, sums.l2_accesses),
      sums.warp_cycles / cycles / parameters_.cores,
  };
  const double slots = std::accumulate(sums.slots.begin(), sums.slots.end(), 0.0);
  for (const double use : sums.slots) values.push_back(quotient(use, slots));
  for (std::size_t i = 0; i < values.size(); ++i) series_[i].values.push_back(values[i]);
}

void Sampler::finish(LaunchResult& result, std::uint64_t end, std::uint64_t idle_slots) {
  Sums counted = counted_since_last_look();
  counted.slots[static_cast<std::size_t>(SlotUse::kNoWarp)] -= of(idle_slots);
  intervals_.finish(end, counted,
                    [this](const Sums& sums, double cycles) { add_sample(sums, cycles); });
  result.sample_cycles = intervals_.interval();
  result.samples = std::move(series_);
}

}  // namespace raddle::machine::simt
