// How long a piece of a kernel will take, before it is mapped.
#pragma once

#include "machine/cgra/compile/compile_options.h"

namespace raddle::machine::cgra {

inline constexpr double kTurns = 8;  // of a loop, as far as anybody knows

// Cycles of the core for each of `threads` threads that pass the configuration one after the other:
// those from one thread to the next in a copy, over the copies, or what banks need for a thread's
// words; those until its lines have come; and its share of the time that the configuration itself
// and the way through it take. The graph must fit the units.
double piece_time(const PieceGraph& piece, double threads, const CompileOptions& options);

}  // namespace raddle::machine::cgra
