// Which unit of the grid carries out an instruction, and how long it takes.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "kernel/instruction.h"
#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

// From operands to result.
struct UnitLatencies {
  Cycle integer{1};  // additions, shifts, conversions between integers
  Cycle integer_multiply{3};
  Cycle floating{4};  // additions, multiplications, conversions
  Cycle fused{5};     // multiply and add in one
  Cycle special{16};  // roots, sines, logarithms …
  Cycle divide{32};   // of integers or floats
  Cycle control{1};   // comparisons, selections, logic
  Cycle split_join{1};
  Cycle elevator{1};
  Cycle double_interval{2};  // from one double-precision operation to the next
};

struct UnitNeed {
  UnitClass unit = UnitClass::kAlu;
  Cycle latency{1};
  Cycle interval{1};
};

// For an instruction that computes; not for memory operations.
UnitNeed unit_need(const kernel::Instruction& instruction, const UnitLatencies& latencies);

}  // namespace raddle::machine::cgra
