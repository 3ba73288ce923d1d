#include "machine/run/sampler.h"

#include <numeric>
#include <utility>

#include "machine/run/ratio.h"

namespace raddle::machine {

namespace {

void add_parts(std::vector<double>& sums, const std::vector<double>& other, double share) {
  sums.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) sums[i] += other[i] * share;
}

}  // namespace

void SampleSums::add(const SampleSums& other, double share) {
  add_parts(counts, other.counts, share);
  add_parts(cycles, other.cycles, share);
}

SeriesSpec per_cycle(std::string name, std::string unit, std::string sentence, std::size_t count) {
  return {std::move(name), std::move(unit), std::move(sentence),
          [count](const SampledInterval& in) { return in.counts[count] / in.cycles; }};
}

SeriesSpec bytes_per_second(std::string name, std::string sentence, std::size_t bytes) {
  return {std::move(name), "bytes per second", std::move(sentence),
          [bytes](const SampledInterval& in) { return in.counts[bytes] / in.seconds; }};
}

SeriesSpec ratio(std::string name, std::string sentence, std::size_t part, std::size_t whole) {
  return {std::move(name), "ratio", std::move(sentence), [part, whole](const SampledInterval& in) {
            return quotient(in.counts[part], in.counts[whole]);
          }};
}

SampleTable::SampleTable(std::vector<SeriesSpec> series, std::span<const Cause> causes,
                         std::size_t remainder, double clock_hz, double slots_per_cycle)
    : specs_(std::move(series)),
      remainder_(remainder),
      clock_hz_(clock_hz),
      slots_per_cycle_(slots_per_cycle) {
  for (const SeriesSpec& spec : specs_)
    series_.push_back({spec.name, spec.unit, spec.sentence, {}, {}});
  for (const Cause& cause : causes)
    series_.push_back(
        {std::string(cause.name), "ratio", std::string(cause.sentence), {}, cause.kind});
}

void SampleTable::add(const SampleSums& sums, double cycles) {
  const SampledInterval interval{sums.counts, cycles, cycles / clock_hz_};
  for (std::size_t i = 0; i < specs_.size(); ++i)
    series_[i].values.push_back(specs_[i].value(interval));
  const double slots = slots_per_cycle_ == 0
                           ? std::accumulate(sums.cycles.begin(), sums.cycles.end(), 0.0)
                           : cycles * slots_per_cycle_;
  for (std::size_t i = 0; i < sums.cycles.size(); ++i)
    series_[specs_.size() + i].values.push_back(quotient(sums.cycles[i], slots));
}

Sampler::Sampler(SampleTable table, Counted counted, Cycle start, Cycle interval)
    : table_(std::move(table)),
      counted_(std::move(counted)),
      intervals_(start, interval),
      before_(counted_(start)) {}

SampleSums Sampler::counted_since_last_look(Cycle cycle) {
  const SampleSums now = counted_(cycle);
  SampleSums since = now;
  since.add(std::exchange(before_, now), -1);
  return since;
}

void Sampler::take(Cycle cycle) { intervals_.look(cycle, counted_since_last_look(cycle), adder()); }

void Sampler::finish(LaunchResult& result, Cycle end, Cycle idle_cycles) {
  SampleSums counted = counted_since_last_look(end);
  counted.cycles[table_.remainder()] -= idle_cycles.as_double();
  intervals_.finish(end, counted, adder());
  result.sample_cycles = intervals_.interval().count();
  result.samples = table_.take();
}

}  // namespace raddle::machine
