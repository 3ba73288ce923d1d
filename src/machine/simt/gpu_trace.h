// A trace of a GPU: kernels, multiprocessors (core_trace.h), L2 slices and DRAM requests.
#pragma once

#include <cstdint>

#include "machine/run/launch_trace.h"
#include "machine/simt/core_trace.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

class Gpu;

class GpuTrace : public LaunchTrace<CoreTrace> {
 public:
  GpuTrace(sim::TraceFile& file, const GpuParameters& gpu);

  // Between quanta.
  void look_at(Gpu& gpu, Cycle cycle);
};

}  // namespace raddle::machine::simt
