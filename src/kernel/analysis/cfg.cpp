#include "kernel/analysis/cfg.h"

#include <algorithm>

namespace raddle::kernel {
namespace {

BlockExit exit_of(const Function& function, BlockId index, bool has_successors) {
  const Block& block = function.blocks[index];
  const bool leaves =
      !block.instructions.empty() && (block.instructions.back().opcode == Opcode::kRet ||
                                      block.instructions.back().opcode == Opcode::kExit ||
                                      block.instructions.back().opcode == Opcode::kTrap);
  if (!has_successors) return BlockExit::kAlways;  // also the end of a function that has no ret
  return leaves ? BlockExit::kGuarded : BlockExit::kNone;
}

}  // namespace

ControlFlowGraph::ControlFlowGraph(const Function& function)
    : successors_(function.blocks.size()),
      predecessors_(function.blocks.size()),
      exits_(function.blocks.size()) {
  for (BlockId block = 0; block < successors_.size(); ++block) {
    successors_[block] = kernel::successors(function, block);
    std::erase_if(successors_[block], [&](BlockId target) { return target >= successors_.size(); });
    for (const BlockId successor : successors_[block]) predecessors_[successor].push_back(block);
    exits_[block] = exit_of(function, block, !successors_[block].empty());
  }
  number_blocks();
}

// Depth first without recursion, for there are kernels with many thousands of blocks.
void ControlFlowGraph::number_blocks() {
  rank_.assign(size(), kNoId);
  if (size() == 0) return;
  struct Visit {
    BlockId block;
    std::size_t next;
  };
  std::vector<bool> seen(size());
  std::vector<Visit> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    // Branch targets are finished before the fall-through, which so comes earlier in the reverse
    // order: source order where nothing else decides.
    const auto& targets = successors_[visit.block];
    if (visit.next == targets.size()) {
      order_.push_back(visit.block);
      stack.pop_back();
      continue;
    }
    const BlockId target = targets[visit.next++];
    if (seen[target]) continue;
    seen[target] = true;
    stack.push_back({target, 0});
  }
  std::reverse(order_.begin(), order_.end());
  for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
}

}  // namespace raddle::kernel
