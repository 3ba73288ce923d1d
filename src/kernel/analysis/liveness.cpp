#include "kernel/analysis/liveness.h"

#include <algorithm>

namespace raddle::kernel {

Liveness::Liveness(const Function& function, const ControlFlowGraph& graph,
                   GuardedWrite guarded_write)
    : function_(function), guarded_write_(guarded_write) {
  const std::size_t registers = function.registers.size();
  live_in_.assign(graph.size(), BitSet(registers));
  live_out_.reserve(graph.size());
  for (BlockId block = 0; block < graph.size(); ++block) {
    live_out_.push_back(graph.reachable(block) ? read_by_phis(graph, block) : BitSet(registers));
  }

  // What each block reads before writing it, and what it writes for certain.
  std::vector<BitSet> reads(graph.size(), BitSet(registers));
  std::vector<BitSet> writes(graph.size(), BitSet(registers));
  for (BlockId block = 0; block < graph.size(); ++block) {
    for (const Instruction& instruction : function.blocks[block].instructions) {
      if (!is_phi(instruction)) {
        for_each_use(instruction, [&](RegisterId id) {
          if (!writes[block].contains(id)) reads[block].insert(id);
        });
      }
      if (ends_life(instruction))
        for_each_def(instruction, [&](RegisterId id) { writes[block].insert(id); });
    }
  }

  bool changed = true;
  while (changed) {
    changed = false;
    const auto& order = graph.reverse_post_order();
    for (auto place = order.rbegin(); place != order.rend(); ++place) {
      const BlockId block = *place;
      for (const BlockId successor : graph.successors(block)) {
        changed |= live_out_[block].add_all(live_in_[successor]);
      }
      BitSet live = live_out_[block];
      live.remove_all(writes[block]);
      live.add_all(reads[block]);
      changed |= live_in_[block].add_all(live);
    }
  }
}

BitSet Liveness::read_by_phis(const ControlFlowGraph& graph, BlockId block) const {
  BitSet read(function_.registers.size());
  for (const BlockId successor : graph.successors(block)) {
    const auto& predecessors = graph.predecessors(successor);
    const auto place = std::find(predecessors.begin(), predecessors.end(), block);
    const auto index = static_cast<std::size_t>(place - predecessors.begin());
    for (const Instruction& instruction : function_.blocks[successor].instructions) {
      if (!is_phi(instruction)) break;
      if (index < instruction.sources.size() && instruction.sources[index].is_register()) {
        read.insert(instruction.sources[index].index);
      }
    }
  }
  return read;
}

}  // namespace raddle::kernel
