// Loops that stay on the grid. A loop of one piece that all threads of a block leave in the same
// turn needs no live-value cache on the way round: the threads of a warp go round one after the
// other, and what a thread takes along to its next turn waits on a link or in the enhanced
// load/store unit (dmt-cgra, section 4.2) that would read it from the cache. Only first turns read
// there, and only last turns write.
#pragma once

#include "machine/cgra/compile/compile_options.h"
#include "machine/cgra/compile/piece_code.h"

namespace raddle::machine::cgra {

// `graph`: of the piece as one whose threads leave after each turn. `shared`: by register, whether
// it has several writers.
bool may_stay(const PieceCode& piece, SegmentId entry, const PieceGraph& graph,
              const std::vector<bool>& shared, const CompileOptions& options);

}  // namespace raddle::machine::cgra
