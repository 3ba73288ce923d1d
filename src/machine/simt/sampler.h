// Figures over the time of a launch (--sample N): what the parts counted since the last sample, as
// rates and shares. Samples are taken between quanta, where all parts stand at the same time, so N
// is rounded up to whole quanta; the simulated machine does not notice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/launch_result.h"
#include "machine/sample_intervals.h"
#include "machine/simt/gpu.h"

namespace raddle::machine::simt {

class Sampler {
 public:
  // From the present cycle of the GPU on; `cycles` is what the user asked for.
  Sampler(Gpu& gpu, const GpuParameters& parameters, std::uint64_t cycles);

  // Between quanta: `cycle` comes next.
  bool due(std::uint64_t cycle) const { return intervals_.due(cycle); }
  // One sample for every interval that has passed. Where a quantum's end lies behind an interval's
  // (nothing happened for long, or the clocks do not divide each other), what was counted since the
  // last look is spread evenly over that time, so that samples always sum to the launch.
  void take(std::uint64_t cycle) { look(cycle, counted_since_last_look()); }
  // What is left since the last sample, and all of it into the result of a kernel that ended in
  // cycle `end`; so many slots have passed since then, in which nobody had a warp.
  void finish(LaunchResult& result, std::uint64_t end, std::uint64_t idle_slots);

 private:
  // What is summed up within an interval.
  struct Sums {
    double thread_instructions = 0, dram_bytes = 0, dram_busy = 0;
    double l1_hits = 0, l1_accesses = 0, l2_hits = 0, l2_accesses = 0, warp_cycles = 0;
    std::array<double, kSlotUses> slots{};

    void add(const Sums& other, double share);
  };

  Sums counted_since_last_look();
  void look(std::uint64_t cycle, const Sums& counted);
  void add_sample(const Sums& sums, double cycles);

  Gpu& gpu_;
  const GpuParameters& parameters_;
  SampleIntervals<Sums> intervals_;
  GpuCounts before_;
  std::vector<SampleSeries> series_;
};

}  // namespace raddle::machine::simt
