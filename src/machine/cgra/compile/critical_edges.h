// An edge from a block with several successors to one with several predecessors has no place where
// only its own threads pass; this gives it a block of its own.
#pragma once

#include "kernel/module.h"

namespace raddle::machine::cgra {

// The function must hold no phi yet.
kernel::Function split_critical_edges(const kernel::Function& function);

}  // namespace raddle::machine::cgra
