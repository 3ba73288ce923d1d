#include "machine/overlay/sampler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "machine/overlay/overlay_figures.h"

namespace raddle::machine::overlay {
namespace {

constexpr double kPeriod = 4;
constexpr double kTexelBytes = 16;

double of(std::uint64_t count) { return static_cast<double>(count); }

// In the order in which add_sample() gives their values.
std::vector<SampleSeries> all_series() {
  std::vector<SampleSeries> series{
      {"IPC", "thread instructions per cycle", "thread instructions issued in a cycle", {}},
      {"texels read", "bytes per second", "texels that TEX instructions asked for", {}},
      {"outputs written", "bytes per second", "outputs that posted writes carried", {}},
      {"link from host", "ratio", "time in which packets came from the host", {}},
      {"link to host", "ratio", "time in which packets went to the host", {}},
      {"resident batches", "batches", "batch contexts that had a batch", {}},
      {std::string(kIssued), "ratio", "an ALU instruction issued", {}},
      {std::string(kConfigurationWait), "ratio", "the host wrote the configuration", {}},
  };
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    const std::string name(name_of(static_cast<IdleCause>(cause)));
    series.push_back(
        {"wait: " + name, "ratio", "no ALU instruction issued for want of " + name, {}});
  }
  return series;
}

}  // namespace

Sampler::Sampler(const Processor& processor, const OverlayParameters& parameters,
                 std::uint64_t cycles)
    : processor_(processor),
      parameters_(parameters),
      intervals_(0, in_whole_quanta(cycles, 4)),
      series_(all_series()) {}

void Sampler::Sums::add(const Sums& other, double share) {
  configuration += other.configuration * share;
  issued += other.issued * share;
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
    idle[cause] += other.idle[cause] * share;
  thread_instructions += other.thread_instructions * share;
  read_bytes += other.read_bytes * share;
  written_bytes += other.written_bytes * share;
  out_busy_ps += other.out_busy_ps * share;
  in_busy_ps += other.in_busy_ps * share;
  batch_cycles += other.batch_cycles * share;
}

Sampler::Sums Sampler::counted() const {
  const ProcessorCounts& counts = processor_.counts();
  const LinkCounts& link = processor_.link_counts();
  Sums sums;
  sums.configuration = of(counts.configuration_cycles);
  sums.issued = kPeriod * of(counts.alu_issued);
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
    sums.idle[cause] = kPeriod * of(counts.idle[cause]) / parameters_.batches;
  for (const InstructionCount& count : counts.instructions)
    sums.thread_instructions += of(count.threads);
  sums.read_bytes = kTexelBytes * of(link.reads);
  sums.written_bytes = kTexelBytes * of(link.writes);
  sums.out_busy_ps = of(link.out_busy_ps);
  sums.in_busy_ps = of(link.in_busy_ps + link.configuration_ps);
  sums.batch_cycles = kPeriod * of(counts.occupied);
  return sums;
}

Sampler::Sums Sampler::counted_since_last_look() {
  const Sums now = counted();
  Sums since = now;
  since.add(std::exchange(before_, now), -1);
  return since;
}

void Sampler::look(std::uint64_t cycle) {
  intervals_.look(cycle, counted_since_last_look(), adder());
}

void Sampler::add_sample(const Sums& sums, double cycles) {
  const double seconds = cycles / parameters_.clock.count();
  // A packet that is under way where an interval ends was counted where it began.
  const auto busy = [&](double picoseconds) {
    return std::min(1.0, picoseconds * 1e-12 / seconds);
  };
  std::vector<double> values{sums.thread_instructions / cycles,
                             sums.read_bytes / seconds,
                             sums.written_bytes / seconds,
                             busy(sums.in_busy_ps),
                             busy(sums.out_busy_ps),
                             sums.batch_cycles / cycles,
                             sums.issued / cycles,
                             sums.configuration / cycles};
  for (const double idle : sums.idle) values.push_back(idle / cycles);
  for (std::size_t i = 0; i < values.size(); ++i) series_[i].values.push_back(values[i]);
}

void Sampler::finish(LaunchResult& result) {
  intervals_.finish(processor_.counts().cycles, counted_since_last_look(), adder());
  result.sample_cycles = interval();
  result.samples = std::move(series_);
}

}  // namespace raddle::machine::overlay
