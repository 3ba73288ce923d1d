// What an MT-CGRA or dMT-CGRA machine is built from, read from its TOML.
#pragma once

#include <cstdint>
#include <string>

#include "machine/cgra/fabric_kernel.h"
#include "machine/cgra/fabric_parameters.h"
#include "machine/cgra/grid.h"
#include "machine/parameters.h"

namespace raddle::machine::cgra {

struct CgraParameters {
  explicit CgraParameters(const ParameterTable& table);

  std::string name;
  bool inter_thread = false;  // elevators and receiving load/store units
  FabricParameters fabric;
  GridParameters grid;
  CompileOptions compile;  // without the block's shape

  std::uint32_t threads = 0;       // of a core at a time
  std::uint32_t shared_bytes = 0;  // scratchpad of a core; 0: none
  std::uint64_t memory_bytes = 0;
  std::uint32_t constant_bytes = 65536;
  std::uint32_t stack_bytes = 0;
  std::string energy;  // coefficient set
};

}  // namespace raddle::machine::cgra
