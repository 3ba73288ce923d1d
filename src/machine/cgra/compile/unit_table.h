// Which unit of the grid carries out an instruction, and how long it takes.
#pragma once

#include <cstdint>

#include "kernel/instruction.h"
#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

// Cycles from operands to result.
struct UnitLatencies {
  std::uint32_t integer = 1;  // additions, shifts, conversions between integers
  std::uint32_t integer_multiply = 3;
  std::uint32_t floating = 4;  // additions, multiplications, conversions
  std::uint32_t fused = 5;     // multiply and add in one
  std::uint32_t special = 16;  // roots, sines, logarithms …
  std::uint32_t divide = 32;   // of integers or floats
  std::uint32_t control = 1;   // comparisons, selections, logic
  std::uint32_t split_join = 1;
  std::uint32_t elevator = 1;
  std::uint32_t double_interval = 2;  // cycles from one double-precision operation to the next
};

struct UnitNeed {
  UnitClass unit = UnitClass::kAlu;
  std::uint32_t latency = 1;
  std::uint32_t interval = 1;
};

// Of an instruction that computes; not of memory operations.
UnitNeed unit_need(const kernel::Instruction& instruction, const UnitLatencies& latencies);

}  // namespace raddle::machine::cgra
