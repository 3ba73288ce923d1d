// What a rank declares, in few words and as a hash, so that ranks that run different programs find
// out before they misunderstand each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "raddle/ddm/graph.h"

namespace raddle::ddm::mpi {

struct GraphSummary {
  std::uint64_t hash = 0;  // of names, kinds, ranges, arcs and frames
  std::string text;        // "program 'heat' of 2 blocks with 3 threads and 4 arcs"
};

// `extents`: of the threads of the first block, in the context that all ranks share.
GraphSummary summary_of(const ProgramGraph& program, const std::vector<Extents>& extents);

}  // namespace raddle::ddm::mpi
