// Figures over the time of a launch (--sample N): what units, caches and DRAM did since the last
// sample, as rates and shares. The simulated machine does not notice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/cgra/fabric.h"
#include "machine/launch_result.h"
#include "machine/sample_intervals.h"

namespace raddle::machine::cgra {

class FabricSampler {
 public:
  // From the present cycle of the fabric on; `cycles` is what the user asked for.
  FabricSampler(Fabric& fabric, std::uint64_t cycles);

  // Between quanta: `cycle` comes next.
  void look(std::uint64_t cycle) {
    if (intervals_.due(cycle)) take(cycle);
  }
  // What is left since the last sample, and all of it into the result of a kernel that ended in
  // cycle `end`, not later than now.
  void finish(LaunchResult& result, std::uint64_t end);

 private:
  // What is summed up within an interval.
  struct Sums {
    double firings = 0, threads = 0, dram_bytes = 0, dram_busy = 0;
    double l1_hits = 0, l1_accesses = 0, l2_hits = 0, l2_accesses = 0;
    std::array<double, kUnitUses> uses{};

    void add(const Sums& other, double share);
  };

  void take(std::uint64_t cycle);
  Sums counted_since_last_look();
  void add_sample(const Sums& sums, double cycles);

  Fabric& fabric_;
  SampleIntervals<Sums> intervals_;
  FabricCounts before_;
  std::vector<SampleSeries> series_;
};

}  // namespace raddle::machine::cgra
