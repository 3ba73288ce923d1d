#include "machine/simt/gpu_trace.h"

#include "machine/simt/gpu.h"

namespace raddle::machine::simt {

// Where SMs share, an active one may have twice its warps.
GpuTrace::GpuTrace(sim::TraceFile& file, const GpuParameters& gpu)
    : LaunchTrace(file, gpu.name, gpu.core_clock, gpu.memory, gpu.cores,
                  gpu.core.warps * (gpu.sharing.offered ? 2 : 1)) {}

void GpuTrace::look_at(Gpu& gpu, Cycle cycle) {
  for (std::size_t i = 0; i < gpu.cores().size(); ++i)
    core(i).count_warps(gpu.cores()[i]->resident_warps(), cycle);
  LaunchTrace::look_at(gpu.memory(), cycle);
}

}  // namespace raddle::machine::simt
