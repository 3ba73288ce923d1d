#include "machine/cgra/figures/fabric_sampler.h"

#include <iterator>
#include <utility>

#include "machine/run/memory_series.h"
#include "machine/run/ratio.h"

namespace raddle::machine::cgra {

namespace {

enum FabricCount : std::size_t { kFirings = kMemoryCounts, kThreads };

std::vector<SeriesSpec> fabric_series(const FabricParameters& parameters) {
  std::vector<SeriesSpec> series{
      per_cycle("IPC", "thread instructions per cycle", "nodes that fired in a cycle", kFirings),
      per_cycle("injected", "threads per cycle", "threads injected in a cycle, piece by piece",
                kThreads)};
  std::ranges::move(memory_series(parameters.memory), std::back_inserter(series));
  return series;
}

}  // namespace

Sampler fabric_sampler(Fabric& fabric, Cycle cycles) {
  const auto counted = [&fabric](Cycle) {
    const FabricCounts counts = fabric.counts();
    std::uint64_t firings = 0;
    UnitAccount uses;
    for (std::size_t unit = 0; unit < kUnitClasses; ++unit) {
      firings += counts.firings[unit];
      uses += counts.cycles[unit];
    }
    std::vector<double> all =
        memory_counts(counts.memory.dram, counts.l1, counts.memory.l2, fabric.parameters().memory);
    all.push_back(of(firings));
    all.push_back(of(counts.tokens.threads));
    return SampleSums(std::move(all), uses.cycles());
  };
  const FabricParameters& parameters = fabric.parameters();
  return {SampleTable(fabric_series(parameters), kUnitUses, parameters.core_clock.count()), counted,
          fabric.now(), in_whole_quanta(cycles, fabric.quantum_cycles())};
}

}  // namespace raddle::machine::cgra
