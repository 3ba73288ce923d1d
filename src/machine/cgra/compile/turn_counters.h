// Counters of loops that all threads of a block go round together. Within its loop, what follows
// from a counter can be computed again: its place is written at the end of a turn and not before.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace raddle::machine::cgra {

struct TurnCounters {
  std::vector<std::uint32_t> loop;        // by register: the loop that it counts, or kNoId
  std::vector<std::vector<bool>> blocks;  // by loop: those within it
  std::vector<bool> stays;  // by register: all who read it are in the innermost loop around it

  // Whether a value of that block may be computed again from the counter.
  bool counts_for(kernel::RegisterId counter, kernel::BlockId block) const {
    return counter < loop.size() && loop[counter] != kernel::kNoId && blocks[loop[counter]][block];
  }
};

}  // namespace raddle::machine::cgra
