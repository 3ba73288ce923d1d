// Figures over the time of a run (--sample N): what was counted since the last sample, as rates and
// shares. N is rounded up to whole periods of four cycles; the processor does not notice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/launch_result.h"
#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/processor.h"
#include "machine/sample_intervals.h"

namespace raddle::machine::overlay {

class Sampler {
 public:
  // Both must outlive it.
  Sampler(const Processor& processor, const OverlayParameters& parameters, std::uint64_t cycles);

  std::uint64_t interval() const { return intervals_.interval(); }
  // Everything before `cycle` has been counted. Gives a sample for every interval that is over; the
  // configuration, which may take several, is the same all the time.
  void look(std::uint64_t cycle);
  // What is left since the last sample, and all of it into the result.
  void finish(LaunchResult& result);

 private:
  // What is summed up within an interval, beginning with cycles by what they were spent on.
  struct Sums {
    double configuration = 0, issued = 0;
    std::array<double, kIdleCauses> idle{};
    double thread_instructions = 0, read_bytes = 0, written_bytes = 0;
    double out_busy_ps = 0, in_busy_ps = 0, batch_cycles = 0;

    void add(const Sums& other, double share);
  };

  Sums counted() const;
  Sums counted_since_last_look();
  auto adder() {
    return [this](const Sums& sums, double cycles) { add_sample(sums, cycles); };
  }
  void add_sample(const Sums& sums, double cycles);

  const Processor& processor_;
  const OverlayParameters& parameters_;
  SampleIntervals<Sums> intervals_;
  Sums before_;
  std::vector<SampleSeries> series_;
};

}  // namespace raddle::machine::overlay
