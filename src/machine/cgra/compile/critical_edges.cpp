#include "machine/cgra/compile/critical_edges.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/analysis/cfg.h"

namespace raddle::machine::cgra {

using kernel::BlockId;
using kernel::Instruction;
using kernel::Opcode;

kernel::Function split_critical_edges(const kernel::Function& function) {
  const kernel::ControlFlowGraph graph(function);
  const auto is_critical = [&](BlockId from, BlockId to) {
    const bool parts =
        graph.successors(from).size() > 1 || graph.exit(from) == kernel::BlockExit::kGuarded;
    return parts && graph.predecessors(to).size() > 1;
  };
  const auto falls_through = [&](BlockId block) {
    const auto& code = function.blocks[block].instructions;
    return block + 1 < function.blocks.size() &&
           (code.empty() || !ends_block(code.back()) || code.back().guard.present());
  };

  kernel::Function out = function;
  out.blocks.clear();
  std::vector<BlockId> place(function.blocks.size());
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    place[b] = static_cast<BlockId>(out.blocks.size());
    out.blocks.push_back(function.blocks[b]);
    if (falls_through(b) && is_critical(b, b + 1))
      out.blocks.push_back({fmt::format("edge{}_{}", b, b + 1), {}});
  }
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    auto& code = out.blocks[place[b]].instructions;
    if (code.empty() || code.back().targets.empty()) continue;
    const std::uint32_t location = code.back().location;
    std::vector<BlockId> targets = code.back().targets;
    for (BlockId& target : targets) {
      const BlockId old = target;
      target = place[old];
      if (!is_critical(b, old)) continue;
      Instruction branch;
      branch.opcode = Opcode::kBra;
      branch.location = location;
      branch.targets = {target};
      target = static_cast<BlockId>(out.blocks.size());
      out.blocks.push_back({fmt::format("edge{}_{}", b, old), {std::move(branch)}});
    }
    out.blocks[place[b]].instructions.back().targets = std::move(targets);
  }
  return out;
}

}  // namespace raddle::machine::cgra
