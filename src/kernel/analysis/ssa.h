// Static single assignment: a function in which every register is written at one place, with phi
// instructions where values meet. Pruned: a phi stands only where its value is still read. Source i
// of a phi belongs to the i-th predecessor of its block in ControlFlowGraph order. In the result
//   - a guarded write `@%p d = …` becomes `@%p t = …; d' = selp t, d, %p` (also for predicates, as
//   selp.pred), because
//     the old value stays where the guard fails; without a value from before, the selp is left out
//     (liveness.h: ask for GuardedWrite::kReplacesValue);
//   - a register that is read where it may never have been written keeps its old number, which
//   nothing writes;
//   - blocks that cannot be reached hold a single trap; and when control can come back to the first
//   block, an empty
//     block stands in front of it.
#pragma once

#include <vector>

#include "kernel/module.h"

namespace raddle::kernel {

struct SsaForm {
  Function function;
  std::vector<RegisterId> original;  // by register of `function`: the register it is a version of
};

// The function must be valid and hold no phi yet.
SsaForm construct_ssa(const Function& function);

}  // namespace raddle::kernel
