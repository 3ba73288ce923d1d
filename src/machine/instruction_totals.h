// Instructions by class and by source line, from how often each was executed: what every machine's
// result says in the same way, however the machine counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernel/exec/decoded.h"
#include "machine/launch_result.h"

namespace raddle::machine {

class InstructionTotals {
 public:
  // Adds to `result`; with costs by line if `lines`.
  InstructionTotals(LaunchResult& result, bool lines) : result_(result), lines_(lines) {}

  void add(const kernel::exec::DecodedFunction& function,
           const kernel::exec::DecodedInstruction& instruction, std::uint64_t warps,
           std::uint64_t threads);
  // Once, at the end: the lines, the costliest first.
  void finish();

 private:
  LaunchResult& result_;
  bool lines_;
  std::map<std::string, LineCost> by_line_;
};

}  // namespace raddle::machine
