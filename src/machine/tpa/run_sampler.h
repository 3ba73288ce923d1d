// Figures over the time of a run (--sample N): what the parts counted in each interval, as rates
// and shares. The simulated machine does not notice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/launch_result.h"
#include "machine/sample_intervals.h"
#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

class RunSampler {
 public:
  // From the present cycle on.
  RunSampler(const Processor& processor, std::uint64_t cycles);

  // The processor has come further.
  void look();
  // The run is over; all samples go into the result.
  void finish(LaunchResult& result);

 private:
  // What is summed up within an interval, over all backends.
  struct Sums {
    std::array<double, kBackendCauses> slots{};
    double references = 0, replies = 0, step_hits = 0, step_lookups = 0, steps = 0;
    double flow_cycles = 0;

    void add(const Sums& other, double share);
  };

  Sums counts() const;
  Sums counted_since_last_look(std::uint64_t cycle);
  void add_sample(const Sums& sums, double cycles);

  const Processor& processor_;
  SampleIntervals<Sums> intervals_;
  Sums before_;
  std::uint64_t looked_;
  std::vector<SampleSeries> series_;
};

}  // namespace raddle::machine::tpa
