#include "kernel/analysis/loops.h"

#include <algorithm>
#include <map>

namespace raddle::kernel {

LoopForest::LoopForest(const ControlFlowGraph& graph, const DominatorTree& dominators)
    : innermost_(graph.size(), kNoId) {
  find_loops(graph, dominators);
  for (Loop& loop : loops_) collect_blocks(graph, loop);
  nest();
}

void LoopForest::find_loops(const ControlFlowGraph& graph, const DominatorTree& dominators) {
  std::map<std::uint32_t, Loop> by_rank;
  for (const BlockId from : graph.reverse_post_order()) {
    for (const BlockId to : graph.successors(from)) {
      if (graph.rank(to) > graph.rank(from)) continue;
      if (!dominators.dominates(to, from)) {
        irreducible_.push_back({from, to});
        continue;
      }
      Loop& loop = by_rank[graph.rank(to)];
      loop.header = to;
      loop.latches.push_back(from);
    }
  }
  // A header comes before the headers of inner loops in reverse post-order.
  for (auto& [rank, loop] : by_rank) loops_.push_back(std::move(loop));
}

void LoopForest::collect_blocks(const ControlFlowGraph& graph, Loop& loop) {
  std::vector<bool> inside(graph.size());
  inside[loop.header] = true;
  std::vector<BlockId> work;
  const auto add = [&](BlockId block) {
    if (inside[block] || !graph.reachable(block)) return;
    inside[block] = true;
    work.push_back(block);
  };
  for (const BlockId latch : loop.latches) add(latch);
  while (!work.empty()) {
    const BlockId block = work.back();
    work.pop_back();
    for (const BlockId before : graph.predecessors(block)) add(before);
  }
  for (BlockId block = 0; block < graph.size(); ++block) {
    if (!inside[block]) continue;
    loop.blocks.push_back(block);
    for (const BlockId successor : graph.successors(block)) {
      if (!inside[successor]) loop.exits.push_back({block, successor});
    }
  }
}

void LoopForest::nest() {
  for (std::uint32_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    loop.parent = innermost_[loop.header];
    loop.depth = loop.parent == kNoId ? 1 : loops_[loop.parent].depth + 1;
    for (const BlockId block : loop.blocks) innermost_[block] = i;
  }
}

bool LoopForest::is_back_edge(BlockId from, BlockId to) const {
  return std::any_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
    return loop.header == to &&
           std::find(loop.latches.begin(), loop.latches.end(), from) != loop.latches.end();
  });
}

}  // namespace raddle::kernel
