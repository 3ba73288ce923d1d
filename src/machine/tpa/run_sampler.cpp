#include "machine/tpa/run_sampler.h"

#include <utility>

#include "machine/run/ratio.h"

namespace raddle::machine::tpa {

namespace {

enum Count : std::size_t {
  kIssuedSlots,
  kReferences,
  kReplies,
  kStepHits,
  kStepLookups,
  kSteps,
  kFlowCycles,
  kCounts
};

std::vector<SeriesSpec> run_series() {
  return {
      per_cycle("IPC", "thread instructions per cycle", "fibers and entries issued in a cycle",
                kIssuedSlots),
      per_cycle("references", "references per cycle",
                "references that left the backends in a cycle", kReferences),
      per_cycle("replies", "replies per cycle", "of these, references that need a reply", kReplies),
      ratio("step cache hit rate", "references that found their address; 0: none made", kStepHits,
            kStepLookups),
      per_cycle("steps", "steps per cycle", "steps begun in a cycle", kSteps),
      per_cycle("flows", "flows", "flows alive, averaged over the samples", kFlowCycles),
  };
}

}  // namespace

Sampler run_sampler(const Processor& processor, Hertz clock, Cycle cycles) {
  const auto counted = [&processor, flow_cycles = 0.0,
                        looked = processor.now()](Cycle cycle) mutable {
    std::vector<double> counts(kCounts);
    BackendAccount slots;
    for (const Backend& backend : processor.backends()) {
      slots += backend.cycles;
      const StepCacheStats& cache = backend.unit.step_cache.stats();
      counts[kStepHits] += of(cache.hits);
      counts[kStepLookups] += of(cache.hits + cache.misses);
    }
    const ReferenceNetworkStats network = processor.network().stats();
    counts[kIssuedSlots] = slots[BackendCause::kIssued].as_double();
    counts[kReferences] = of(network.references);
    counts[kReplies] = of(network.replies);
    counts[kSteps] = of(processor.steps());
    // A run that was stopped may end before it was last looked at.
    if (cycle > looked)
      flow_cycles +=
          of(processor.flows_alive()) * (cycle - std::exchange(looked, cycle)).as_double();
    counts[kFlowCycles] = flow_cycles;
    return SampleSums(std::move(counts), slots.cycles());
  };
  return {SampleTable(run_series(), kBackendCauses, clock.count()), counted, processor.now(),
          cycles};
}

}  // namespace raddle::machine::tpa
