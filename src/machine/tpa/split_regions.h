// Where the flow of a kernel may split: pieces of its blocks, in the order in which fibers meet
// again, that some fibers go through while the others have nothing to do before they meet. And what
// a fiber takes along from one flow to another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/liveness.h"

namespace raddle::machine::tpa {

// Blocks of ranks first … end - 1, which a flow of its own goes through.
struct SplitSide {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::vector<std::uint32_t> taken;  // registers of fibers with which these begin
  bool is_entered_late = false;      // fibers may begin elsewhere than in its first block
};

struct SplitRegion {
  std::uint32_t after = 0;            // rank of the block at whose end fibers part
  bool is_loop = false;               // `after` ends the loop: who goes on is split off
  std::vector<SplitSide> sides;       // one, or two that do not lead to each other
  std::vector<std::uint32_t> left;    // registers with which fibers come back
  std::vector<std::uint32_t> stored;  // what some side takes
  std::optional<std::uint32_t> next;  // rank at which all go on, if that is one
  bool in_turn = false;               // threads may work together, so that sides are not at once

  std::uint32_t first() const { return sides.front().first; }
  std::uint32_t end() const { return sides.back().end; }
};

// What a search for regions looks at.
struct RankedBlocks {
  const kernel::Function& function;
  const kernel::ControlFlowGraph& graph;
  const kernel::Liveness& liveness;
  const std::vector<kernel::BlockId>& order;            // by rank
  const std::vector<std::uint32_t>& rank;               // by block
  const std::map<std::uint32_t, std::uint32_t>& latch;  // of loops: rank of the last block by first
  // Of a register of the kernel: which register of a fiber holds it between blocks, perhaps one
  // that holds others elsewhere.
  const std::vector<std::uint32_t>& fixed;
};

// In the order of the blocks after which they lie, at most one each. One that begins on a side of
// another ends there as well.
std::vector<SplitRegion> find_split_regions(const RankedBlocks& blocks);

}  // namespace raddle::machine::tpa
