// Chains a graph of fiber values into VLIW lines: at most one operation on shared memory a line,
// five ALUs before it (ALU0–4) and three after it (ALU5–7), five operand slots, four registers
// read and four written. Every operation on memory opens a line; values are computed on the line
// that needs them where they fit, else on an earlier one, else on a line of their own.
#pragma once

#include <map>
#include <vector>

#include "lang/e/code.h"
#include "lang/e/fiber_graph.h"

namespace raddle::e {

struct FiberBatch {
  const FiberGraph* graph = nullptr;
  std::map<std::uint32_t, NodeId> assigned;  // fiber variables by register: their values at the end
  std::uint32_t first_free_register = 0;     // above all fiber variables that are alive
  bool reserves_slot = false;                // the first line also sets the thickness
};

struct ScheduledLine {
  BackLine line;
  std::uint32_t source_line = 0;
};

struct FiberSchedule {
  std::vector<ScheduledLine> lines;
  std::uint32_t registers = 0;  // highest register used + 1
};

FiberSchedule schedule(const FiberBatch& batch);

}  // namespace raddle::e
