// Natural loops and their nesting. Loops that share a header are one loop. A cycle that can be
// entered at two places (irreducible control flow) is not a natural loop: its edges are listed
// instead.
#pragma once

#include <vector>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/dominators.h"

namespace raddle::kernel {

struct Edge {
  BlockId from = 0;
  BlockId to = 0;
  bool operator==(const Edge&) const = default;
};

struct Loop {
  BlockId header = 0;
  std::vector<BlockId> blocks;   // in increasing order, inner loops included
  std::vector<BlockId> latches;  // sources of the edges back to the header
  std::vector<Edge> exits;       // edges that leave the loop
  std::uint32_t parent = kNoId;  // the loop around this one
  std::uint32_t depth = 1;       // 1: outermost
};

class LoopForest {
 public:
  LoopForest(const ControlFlowGraph& graph, const DominatorTree& dominators);

  // Outer loops before the ones in them.
  const std::vector<Loop>& loops() const { return loops_; }
  // The innermost loop of a block, kNoId outside of loops; and how deep that is (0: in none).
  std::uint32_t innermost(BlockId block) const { return innermost_[block]; }
  std::uint32_t depth(BlockId block) const {
    return innermost_[block] == kNoId ? 0 : loops_[innermost_[block]].depth;
  }
  // Edges that go back without leading to a block that dominates their source.
  const std::vector<Edge>& irreducible_edges() const { return irreducible_; }
  bool is_back_edge(BlockId from, BlockId to) const;

 private:
  void find_loops(const ControlFlowGraph& graph, const DominatorTree& dominators);
  void collect_blocks(const ControlFlowGraph& graph, Loop& loop);
  void nest();

  std::vector<Loop> loops_;
  std::vector<std::uint32_t> innermost_;
  std::vector<Edge> irreducible_;
};

}  // namespace raddle::kernel
