#include "machine/overlay/processor_sampler.h"

#include <algorithm>
#include <utility>

#include "machine/run/ratio.h"

namespace raddle::machine::overlay {
namespace {

constexpr Cycle kPeriod{4};
constexpr double kTexelBytes = 16;

enum Count : std::size_t {
  kThreadInstructions,
  kReadBytes,
  kWrittenBytes,
  kOutPicoseconds,
  kInPicoseconds,
  kBatchCycles,
  kCounts
};

// A packet that is under way where an interval ends was counted where it began.
SeriesSpec busy(std::string name, std::string sentence, std::size_t picoseconds) {
  return {std::move(name), "ratio", std::move(sentence), [picoseconds](const SampledInterval& in) {
            return std::min(1.0, in.counts[picoseconds] * 1e-12 / in.seconds);
          }};
}

std::vector<SeriesSpec> processor_series() {
  return {
      per_cycle("IPC", "thread instructions per cycle", "thread instructions issued in a cycle",
                kThreadInstructions),
      bytes_per_second("texels read", "texels that TEX instructions asked for", kReadBytes),
      bytes_per_second("outputs written", "outputs that posted writes carried", kWrittenBytes),
      busy("link from host", "time in which packets came from the host", kInPicoseconds),
      busy("link to host", "time in which packets went to the host", kOutPicoseconds),
      per_cycle("resident batches", "batches", "batch contexts that had a batch", kBatchCycles),
  };
}

}  // namespace

Sampler processor_sampler(const Processor& processor, const OverlayParameters& parameters,
                          Cycle cycles) {
  const auto counted = [&processor, contexts = parameters.batches](Cycle) {
    const ProcessorCounts& counts = processor.counts();
    const LinkCounts& link = processor.link_counts();
    std::vector<double> all(kCounts);
    for (const InstructionCount& count : counts.instructions)
      all[kThreadInstructions] += of(count.threads);
    all[kReadBytes] = kTexelBytes * of(link.reads);
    all[kWrittenBytes] = kTexelBytes * of(link.writes);
    all[kOutPicoseconds] = link.out_busy.as_double();
    all[kInPicoseconds] = (link.in_busy + link.configuration).as_double();
    all[kBatchCycles] = (kPeriod * counts.occupied).as_double();
    SampleSums sums(std::move(all), counts.slots.cycles());
    for (double& spent : sums.cycles) spent /= contexts;
    return sums;
  };
  return {SampleTable(processor_series(), kSlotCauses, parameters.clock.count(), 1), counted,
          Cycle(0), in_whole_quanta(cycles, kPeriod)};
}

}  // namespace raddle::machine::overlay
