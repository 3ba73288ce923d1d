#include "machine/tpa/run_sampler.h"

#include <numeric>
#include <string>
#include <utility>

namespace raddle::machine::tpa {

namespace {

// In the order in which add_sample() gives their values.
std::vector<SampleSeries> all_series() {
  std::vector<SampleSeries> series{
      {"IPC", "thread instructions per cycle", "fibers and entries issued in a cycle", {}},
      {"references", "references per cycle", "references that left the backends in a cycle", {}},
      {"replies", "replies per cycle", "of them those that wanted a reply", {}},
      {"step cache hit rate", "ratio", "references that found their address; 0: none made", {}},
      {"steps", "steps per cycle", "steps begun in a cycle", {}},
      {"flows", "flows", "flows alive when the figures were taken, averaged", {}},
  };
  for (std::size_t cause = 0; cause < kBackendCauses; ++cause)
    series.push_back({std::string(kBackendCauseNames[cause]),
                      "ratio",
                      std::string(kBackendCauseSentences[cause]),
                      {}});
  return series;
}

double quotient(double value, double base) { return base == 0 ? 0 : value / base; }
double of(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

void RunSampler::Sums::add(const Sums& other, double share) {
  for (std::size_t cause = 0; cause < kBackendCauses; ++cause)
    slots[cause] += other.slots[cause] * share;
  references += other.references * share;
  replies += other.replies * share;
  step_hits += other.step_hits * share;
  step_lookups += other.step_lookups * share;
  steps += other.steps * share;
  flow_cycles += other.flow_cycles * share;
}

RunSampler::RunSampler(const Processor& processor, std::uint64_t cycles)
    : processor_(processor),
      intervals_(processor.now(), cycles),
      before_(counts()),
      looked_(processor.now()),
      series_(all_series()) {}

RunSampler::Sums RunSampler::counts() const {
  Sums sums;
  for (const Backend& backend : processor_.backends()) {
    for (std::size_t cause = 0; cause < kBackendCauses; ++cause)
      sums.slots[cause] += of(backend.cycles[cause]);
    const StepCacheStats& cache = backend.unit.step_cache.stats();
    sums.step_hits += of(cache.hits);
    sums.step_lookups += of(cache.hits + cache.misses);
  }
  const ReferenceNetworkStats network = processor_.network().stats();
  sums.references = of(network.references);
  sums.replies = of(network.replies);
  sums.steps = of(processor_.steps());
  return sums;
}

RunSampler::Sums RunSampler::counted_since_last_look(std::uint64_t cycle) {
  Sums counted = counts();
  const Sums before = std::exchange(before_, counted);
  counted.add(before, -1);
  counted.flow_cycles = of(processor_.flows_alive()) * of(cycle - std::exchange(looked_, cycle));
  return counted;
}

void RunSampler::look() {
  const std::uint64_t cycle = processor_.now();
  if (!intervals_.due(cycle)) return;
  intervals_.look(cycle, counted_since_last_look(cycle),
                  [this](const Sums& sums, double cycles) { add_sample(sums, cycles); });
}

void RunSampler::add_sample(const Sums& sums, double cycles) {
  std::vector<double> values{
      sums.slots[static_cast<std::size_t>(BackendCause::kIssued)] / cycles,
      sums.references / cycles,
      sums.replies / cycles,
      quotient(sums.step_hits, sums.step_lookups),
      sums.steps / cycles,
      sums.flow_cycles / cycles,
  };
  const double slots = std::accumulate(sums.slots.begin(), sums.slots.end(), 0.0);
  for (const double cause : sums.slots) values.push_back(quotient(cause, slots));
  for (std::size_t i = 0; i < values.size(); ++i) series_[i].values.push_back(values[i]);
}

void RunSampler::finish(LaunchResult& result) {
  const std::uint64_t end = processor_.cycles();
  intervals_.finish(end, counted_since_last_look(end),
                    [this](const Sums& sums, double cycles) { add_sample(sums, cycles); });
  result.sample_cycles = intervals_.interval();
  result.samples = std::move(series_);
}

}  // namespace raddle::machine::tpa
