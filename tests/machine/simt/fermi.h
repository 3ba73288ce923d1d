// The parameters of `fermi` for tests, with settings of their own.
#pragma once

#include <string>
#include <vector>

#include "machine/kernel_machine.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

inline GpuParameters fermi(const std::vector<std::string>& settings = {}) {
  ParameterTable table = load_parameters("fermi");
  for (const std::string& setting : settings) table.set(setting);
  return GpuParameters(table);
}

}  // namespace raddle::machine::simt
