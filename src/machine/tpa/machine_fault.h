// A fault of the simulated program: it ends the run and is told in the result.
#pragma once

#include <string>

#include "kernel/exec/launch.h"

namespace raddle::machine::tpa {

struct MachineFault {
  kernel::exec::FaultKind kind = kernel::exec::FaultKind::kTrap;
  std::string message;
};

}  // namespace raddle::machine::tpa
