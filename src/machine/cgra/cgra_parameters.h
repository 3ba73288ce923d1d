// What an MT-CGRA or dMT-CGRA machine is built from. Initial values are the defaults, those of
// dmt-cgra, Table 2, where it has them.
#pragma once

#include <cstdint>
#include <string>

#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric_parameters.h"
#include "machine/cgra/map/grid.h"
#include "machine/host_link.h"
#include "machine/parameter_binder.h"

namespace raddle::machine::cgra {

struct CgraParameters {
  explicit CgraParameters(const ParameterBinder& p);

  std::string name;
  bool inter_thread = false;  // elevators and receiving load/store units
  FabricParameters fabric;
  GridParameters grid;
  CompileOptions compile;  // without the block's shape

  std::uint32_t threads = 4096;    // of a core at a time
  ShortBytes shared_bytes{49152};  // scratchpad of a core; 0: none
  Bytes memory_bytes{1'610'612'736};
  ShortBytes constant_bytes{65536};
  ShortBytes stack_bytes{65536};
  double host_link_bytes_per_second = kHostLinkBytesPerSecond;
  std::string energy = "circuit";
};

}  // namespace raddle::machine::cgra
