// Which registers hold a value that may still be read, at the edges of each block and after each
// instruction. A guarded write does not end a value's life (see def_use.h). A phi reads its i-th
// source at the end of the i-th predecessor and writes at the beginning of its block. Nothing is
// live in blocks that cannot be reached.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"

namespace raddle::kernel {

// What a guarded write does to the value from before: it stays where the guard fails, as the
// instructions say; or, in SSA form, where every register has one write and merges are written out,
// there is none.
enum class GuardedWrite : std::uint8_t { kKeepsOldValue, kReplacesValue };

class Liveness {
 public:
  // Keeps a reference to the function.
  Liveness(const Function& function, const ControlFlowGraph& graph,
           GuardedWrite guarded_write = GuardedWrite::kKeepsOldValue);

  // Registers live at the beginning of the block, results of its phis excluded.
  const BitSet& live_in(BlockId block) const { return live_in_[block]; }
  // Registers live at its end, what phis of successors read included.
  const BitSet& live_out(BlockId block) const { return live_out_[block]; }

  // Calls visit(index, live) for the block's instructions from the last to the first; `live` is
  // what is live right after the instruction.
  template <typename Visitor>
  void walk_backwards(BlockId block, Visitor visit) const {
    BitSet live = live_out_[block];
    const auto& instructions = function_.blocks[block].instructions;
    for (std::size_t i = instructions.size(); i-- > 0;) {
      visit(i, static_cast<const BitSet&>(live));
      step_backwards(instructions[i], live);
    }
  }

 private:
  bool ends_life(const Instruction& instruction) const {
    return guarded_write_ == GuardedWrite::kReplacesValue || !is_partial_write(instruction);
  }
  void step_backwards(const Instruction& instruction, BitSet& live) const {
    if (ends_life(instruction)) for_each_def(instruction, [&](RegisterId id) { live.erase(id); });
    if (is_phi(instruction)) return;
    for_each_use(instruction, [&](RegisterId id) { live.insert(id); });
  }
  BitSet read_by_phis(const ControlFlowGraph& graph, BlockId block) const;

  const Function& function_;
  GuardedWrite guarded_write_;
  std::vector<BitSet> live_in_;
  std::vector<BitSet> live_out_;
};

}  // namespace raddle::kernel
