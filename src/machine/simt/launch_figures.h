// From what the parts counted to what a result says of a launch.
#pragma once

#include "machine/launch_result.h"
#include "machine/simt/gpu.h"
#include "machine/simt/gpu_counts.h"
#include "machine/simt/kernel_run.h"

namespace raddle::machine::simt {

// What one kernel did by itself: instructions, classes, lines, branches, faults.
void add_kernel_figures(const KernelRun& run, const Gpu& gpu, const GpuParameters& parameters,
                        bool lines, LaunchResult& result);
// What the parts of the GPU did in so many core cycles: slots, traffic, utilisation, statistics.
struct ElapsedCycles {
  Cycle core, network, l2, dram;
};
void add_gpu_figures(const GpuCounts& counts, const ElapsedCycles& elapsed, const Gpu& configured,
                     const GpuParameters& gpu, LaunchResult& result);

}  // namespace raddle::machine::simt
