// Dominators and post-dominators, and where threads that parted at a branch come together again.
// Unreachable blocks have no place in either tree. Loops without an end are given a way out at
// their last block, so that post-dominators exist for every reachable block.
#pragma once

#include <vector>

#include "kernel/analysis/cfg.h"

namespace raddle::kernel {

// A tree over blocks in which every node is dominated by its parent.
class DominatorTree {
 public:
  // From the entry.
  explicit DominatorTree(const ControlFlowGraph& graph);

  // kNoId for roots and for blocks outside the tree.
  BlockId parent(BlockId block) const { return parent_[block]; }
  bool contains(BlockId block) const { return enter_[block] != kNoId; }
  // Whether every path to `below` leads through `above`; a block dominates itself.
  bool dominates(BlockId above, BlockId below) const {
    return contains(above) && contains(below) && enter_[above] <= enter_[below] &&
           leave_[below] <= leave_[above];
  }
  const std::vector<BlockId>& children(BlockId block) const { return children_[block]; }
  // Roots and, below them, parents before children.
  const std::vector<BlockId>& pre_order() const { return pre_order_; }

 protected:
  DominatorTree() = default;
  void set_parents(std::vector<BlockId> parents, const std::vector<bool>& members);

 private:
  std::vector<BlockId> parent_;
  std::vector<std::vector<BlockId>> children_;
  std::vector<BlockId> pre_order_;
  std::vector<std::uint32_t>
      enter_;  // by block: numbers of a walk through the tree, kNoId outside of it
  std::vector<std::uint32_t> leave_;
};

// `dominates(a, b)` here says that every path from b to the function's end leads through a. The end
// is a virtual block: roots are the blocks that only it post-dominates.
class PostDominatorTree : public DominatorTree {
 public:
  explicit PostDominatorTree(const ControlFlowGraph& graph);
};

// Dominance frontier of every block: where its dominance ends.
std::vector<std::vector<BlockId>> dominance_frontiers(const ControlFlowGraph& graph,
                                                      const DominatorTree& tree);

// For every block: the block at which threads that leave it in different directions meet again,
// kNoId if they never do. It is the immediate post-dominator among the paths that go on: a path
// that ends early (an early return, a failed assertion) has no say in where the others meet, as on
// real machines, where threads that ended need not be waited for.
std::vector<BlockId> reconvergence_points(const ControlFlowGraph& graph);

}  // namespace raddle::kernel
