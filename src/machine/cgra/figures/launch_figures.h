// What the fabric did during a launch, and what the result says of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "energy/energy.h"
#include "machine/cgra/cgra_parameters.h"
#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric.h"
#include "machine/cgra/map/mapping.h"
#include "machine/launch_result.h"

namespace raddle::machine::cgra {

class LaunchCounts {
 public:
  // Before the launch.
  LaunchCounts(Fabric& fabric, const FabricKernel& kernel);
  // After it: cycles and counts from `start` on. What was written goes from the L1 caches to the
  // L2, which is counted, but takes no cycles of the launch.
  void finish(Cycle start);

  std::vector<FabricNodeCounts> nodes;  // by piece
  FabricCounts done;
  Cycle cycles;
  Cycle dram_cycles, l2_cycles, network_cycles;

 private:
  Fabric& fabric_;
  FabricCounts before_;
};

void add_figures(const LaunchCounts& counts, const FabricKernel& kernel,
                 const std::vector<Mapping>& mappings, const CgraParameters& parameters,
                 const energy::CoefficientSet& coefficients, LaunchResult& result);

}  // namespace raddle::machine::cgra
