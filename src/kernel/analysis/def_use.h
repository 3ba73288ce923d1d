// Which registers an instruction reads and writes: guards, several destinations and absent operands
// included. Call slots are memory, not registers; a call itself reads at most the register that
// holds the callee.
#pragma once

#include "kernel/module.h"

namespace raddle::kernel {

// Calls visit(RegisterId) for every register read, the guard first. A register read twice is
// visited twice.
template <typename Visitor>
void for_each_use(const Instruction& instruction, Visitor visit) {
  if (instruction.guard.present()) visit(instruction.guard.predicate);
  for (const Operand& source : instruction.sources) {
    if (source.is_register()) visit(source.index);
  }
}

template <typename Visitor>
void for_each_def(const Instruction& instruction, Visitor visit) {
  for (const Operand& destination : instruction.destinations) {
    if (destination.is_register()) visit(destination.index);
  }
}

// A guarded write changes its destination only where the guard holds: elsewhere the old value
// stays, so it ends no live range and the old value is an input as well.
inline bool is_partial_write(const Instruction& instruction) { return instruction.guard.present(); }

inline bool is_phi(const Instruction& instruction) { return instruction.opcode == Opcode::kPhi; }

}  // namespace raddle::kernel
