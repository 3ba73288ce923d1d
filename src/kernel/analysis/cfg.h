// The control-flow graph of a function: successors and predecessors of its blocks, a reverse
// post-order, and what can be reached at all. Block 0 is the entry. Guarded ret, exit and trap have
// an edge to the next block, and leave as well.
#pragma once

#include <vector>

#include "kernel/module.h"

namespace raddle::kernel {

// How control can leave a function at the end of a block.
enum class BlockExit : std::uint8_t {
  kNone,
  kGuarded,  // some threads end here, the others go on
  kAlways,
};

class ControlFlowGraph {
 public:
  explicit ControlFlowGraph(const Function& function);

  std::size_t size() const { return successors_.size(); }
  const std::vector<BlockId>& successors(BlockId block) const { return successors_[block]; }
  // In increasing order, unreachable ones included; the sources of a phi follow this order.
  const std::vector<BlockId>& predecessors(BlockId block) const { return predecessors_[block]; }
  BlockExit exit(BlockId block) const { return exits_[block]; }

  // Reachable blocks, each before its successors except along back edges.
  const std::vector<BlockId>& reverse_post_order() const { return order_; }
  // Place in that order; kNoId for unreachable blocks.
  std::uint32_t rank(BlockId block) const { return rank_[block]; }
  bool reachable(BlockId block) const { return rank_[block] != kNoId; }

 private:
  void number_blocks();

  std::vector<std::vector<BlockId>> successors_;
  std::vector<std::vector<BlockId>> predecessors_;
  std::vector<BlockExit> exits_;
  std::vector<BlockId> order_;
  std::vector<std::uint32_t> rank_;
};

}  // namespace raddle::kernel
