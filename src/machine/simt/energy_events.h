// What cost energy in a launch: events from how often each instruction was executed and from what
// caches, networks and DRAM counted, and the time for which the multiprocessors were powered. Kept
// apart by instruction class, so that a result can say what a class of instructions costs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "energy/energy.h"
#include "machine/launch_result.h"
#include "machine/simt/gpu_counts.h"
#include "machine/simt/kernel_run.h"
#include "machine/simt/sharing.h"

namespace raddle::machine::simt {

struct LaunchEnergy {
  // Decoding, scheduling, registers and units, by kernel::InstructionClass.
  std::array<energy::EventCounts, kernel::kInstructionClasses> classes;
  // What no single instruction can be charged with.
  energy::EventCounts fetch, memory, powered;

  energy::EventCounts total() const;
};

LaunchEnergy energy_events(const KernelRun& run, const GpuCounts& counts, const GpuParameters& gpu,
                           const SharingPlan& sharing, Seconds time,
                           const energy::CoefficientSet& set);

// The parts of the energy, and statistics of the component "energy" in pJ: one for each class, for
// instruction fetch, memory and static power. Either sum is the whole energy.
void add_energy(const LaunchEnergy& spent, const energy::CoefficientSet& set, LaunchResult& result);

}  // namespace raddle::machine::simt
