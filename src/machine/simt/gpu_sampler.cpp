#include "machine/simt/gpu_sampler.h"

#include <iterator>
#include <utility>

#include "machine/run/memory_series.h"
#include "machine/run/ratio.h"

namespace raddle::machine::simt {

namespace {

enum GpuCount : std::size_t { kThreadInstructions = kMemoryCounts, kWarpCycles };

std::vector<SeriesSpec> gpu_series(const GpuParameters& parameters) {
  std::vector<SeriesSpec> series{per_cycle("IPC", "thread instructions per cycle",
                                           "thread instructions issued in a cycle",
                                           kThreadInstructions)};
  std::ranges::move(memory_series(parameters.memory), std::back_inserter(series));
  series.push_back({"resident warps", "warps",
                    "warps on a multiprocessor, averaged over all of them",
                    [cores = parameters.cores](const SampledInterval& in) {
                      return in.counts[kWarpCycles] / in.cycles / cores;
                    }});
  return series;
}

}  // namespace

Sampler gpu_sampler(Gpu& gpu, const GpuParameters& parameters, Cycle cycles) {
  const auto counted = [&gpu, &parameters](Cycle) {
    const GpuCounts counts = gpu.counts();
    std::vector<double> all = memory_counts(counts.dram, counts.l1, counts.l2, parameters.memory);
    all.push_back(of(counts.thread_instructions));
    all.push_back(counts.warp_cycles.as_double());
    return SampleSums(std::move(all), counts.slots.cycles());
  };
  return {SampleTable(gpu_series(parameters), kSlotUses, parameters.core_clock.count()), counted,
          gpu.now(), in_whole_quanta(cycles, gpu.quantum_cycles())};
}

}  // namespace raddle::machine::simt
