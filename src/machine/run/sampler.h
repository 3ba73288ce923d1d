// Figures over the time of a run (--sample N). A machine supplies tables: its series, each with a
// name, a unit, a sentence and how its value follows from what was counted in an interval; the
// causes its cycles split into, which become series too; and a function that says what has been
// counted so far. The simulated machine does not notice.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "machine/launch_result.h"
#include "machine/run/cycle_account.h"
#include "machine/run/sample_intervals.h"

namespace raddle::machine {

// What was counted: by the machine's own enumeration of counts, and cycles by cause.
struct SampleSums {
  std::vector<double> counts;
  std::vector<double> cycles;

  SampleSums() = default;
  template <class Time, std::size_t kCauses>
  SampleSums(std::vector<double> counted, std::span<const Time, kCauses> by_cause)
      : counts(std::move(counted)) {
    for (const Time time : by_cause) cycles.push_back(time.as_double());
  }
  void add(const SampleSums& other, double share);
};

// A sample: what was counted in so much time.
struct SampledInterval {
  const std::vector<double>& counts;
  double cycles = 0;
  double seconds = 0;
};

struct SeriesSpec {
  std::string name;
  std::string unit;
  std::string sentence;
  std::function<double(const SampledInterval&)> value;
};

// Series of the usual kinds; a count is told by its place in SampleSums::counts.
SeriesSpec per_cycle(std::string name, std::string unit, std::string sentence, std::size_t count);
SeriesSpec bytes_per_second(std::string name, std::string sentence, std::size_t bytes);
SeriesSpec ratio(std::string name, std::string sentence, std::size_t part, std::size_t whole);

// Turns sums into samples of all series, and of the shares of each cause.
class SampleTable {
 public:
  // `slots_per_cycle` 0: a cause's share is that of all cycles that were counted by cause; else of
  // so many a cycle.
  template <class Enum, std::size_t kCount>
  SampleTable(std::vector<SeriesSpec> series, const CauseTable<Enum, kCount>& causes,
              double clock_hz, double slots_per_cycle = 0)
      : SampleTable(std::move(series), causes.causes(),
                    static_cast<std::size_t>(causes.remainder()), clock_hz, slots_per_cycle) {}

  void add(const SampleSums& sums, double cycles);
  std::size_t remainder() const { return remainder_; }
  std::vector<SampleSeries> take() { return std::move(series_); }

 private:
  SampleTable(std::vector<SeriesSpec> series, std::span<const Cause> causes, std::size_t remainder,
              double clock_hz, double slots_per_cycle);

  std::vector<SeriesSpec> specs_;
  std::size_t remainder_;
  double clock_hz_, slots_per_cycle_;
  std::vector<SampleSeries> series_;  // those of the specs, then one a cause
};

class Sampler {
 public:
  // What has been counted before the cycle, since the machine's own beginning.
  using Counted = std::function<SampleSums(Cycle cycle)>;

  Sampler(SampleTable table, Counted counted, Cycle start, Cycle interval);

  Cycle interval() const { return intervals_.interval(); }
  // It is `cycle` now: one sample for every interval that has passed.
  void look(Cycle cycle) {
    if (intervals_.due(cycle)) take(cycle);
  }
  // The same where what has been counted until now is unlike what comes.
  void take(Cycle cycle);
  // What is left since the last sample, and all of it into the result of a run that ended in cycle
  // `end`; so many idle cycles have been counted after that.
  void finish(LaunchResult& result, Cycle end, Cycle idle_cycles = Cycle(0));

 private:
  SampleSums counted_since_last_look(Cycle cycle);
  auto adder() {
    return [this](const SampleSums& sums, double cycles) { table_.add(sums, cycles); };
  }

  SampleTable table_;
  Counted counted_;
  SampleIntervals<SampleSums> intervals_;
  SampleSums before_;
};

}  // namespace raddle::machine
