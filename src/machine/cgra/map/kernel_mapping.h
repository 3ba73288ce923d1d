// A kernel compiled for a fabric and put on its grid, for one shape of blocks: what a launch runs
// and what `raddle graph` draws.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/cgra/cgra_parameters.h"
#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::machine::cgra {

struct MappedKernel {
  FabricKernel kernel;
  std::vector<Mapping> mappings;  // by piece
};

// Throws Error for what the fabric cannot run, and where no mapping is found.
MappedKernel map_kernel(const kernel::Function& function, const kernel::Module& module,
                        const CgraParameters& parameters, const Grid& grid,
                        const std::array<std::uint32_t, 3>& block);

}  // namespace raddle::machine::cgra
