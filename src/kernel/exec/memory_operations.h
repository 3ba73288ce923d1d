// Loads, stores, atomics and asynchronous copies: the part of a memory instruction that moves data.
#pragma once

#include "kernel/exec/decoded.h"

namespace raddle::kernel::exec {

// Null if the instruction is not one of these or has a form that cannot be executed.
WarpFunction select_memory_function(const Instruction& instruction);
WarpFunction select_atomic_function(const Instruction& instruction);
// Between lanes: shfl, vote, match, redux, activemask; and clocks.
WarpFunction select_exchange_function(const Instruction& instruction);
// mma, movmatrix, ldmatrix, stmatrix.
WarpFunction select_matrix_function(const Instruction& instruction);
// tex, tld4, txq, suld, sust.
WarpFunction select_texture_function(const Instruction& instruction);

}  // namespace raddle::kernel::exec
