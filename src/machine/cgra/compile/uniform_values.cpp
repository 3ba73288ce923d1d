#include "machine/cgra/compile/uniform_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernel/analysis/def_use.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/liveness.h"
#include "kernel/analysis/loops.h"
#include "kernel/analysis/uniformity.h"
#include "machine/cgra/compile/value_facts.h"

namespace raddle::machine::cgra {

using kernel::BlockId;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;

namespace {

bool is_parameter(const Instruction& i) {
  return i.opcode == Opcode::kLd && i.space == kernel::Space::kParam &&
         i.sources[0].kind == Operand::Kind::kSymbol;
}

// What follows from something that is computed on the grid is computed there.
void keep_to_operands(const kernel::Function& ssa, std::vector<bool>& uniform) {
  std::vector<bool> known = uniform;
  for (const kernel::Block& block : ssa.blocks) {
    for (const Instruction& i : block.instructions) {
      if (is_parameter(i)) kernel::for_each_def(i, [&](RegisterId value) { known[value] = true; });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const kernel::Block& block : ssa.blocks) {
      for (const Instruction& i : block.instructions) {
        if (i.destinations.size() != 1 || !i.destinations[0].is_register()) continue;
        const RegisterId value = i.destinations[0].index;
        if (!uniform[value]) continue;
        bool follows = true;
        kernel::for_each_use(i, [&](RegisterId source) { follows = follows && known[source]; });
        if (follows) continue;
        uniform[value] = known[value] = false;
        changed = true;
      }
    }
  }
}

// Blocks whose threads are in the same iteration of all loops around them: those that a whole
// block of threads comes to together, and, whoever else comes, those in loops that all who go round
// leave in the same iteration.
std::vector<bool> find_blocks_in_step(const kernel::ControlFlowGraph& graph,
                                      const kernel::UniformityAnalysis& uniformity,
                                      std::size_t blocks) {
  const kernel::DominatorTree dominators(graph);
  const kernel::LoopForest loops(graph, dominators);
  std::vector<bool> in_step(blocks, loops.irreducible_edges().empty());
  for (const kernel::Loop& loop : loops.loops()) {
    const bool leave_together = std::ranges::all_of(loop.exits, [&](const kernel::Edge& exit) {
      return uniformity.of_branch(exit.from) <= kernel::Uniformity::kBlock &&
             std::ranges::all_of(loop.latches, [&](BlockId latch) {
               return dominators.dominates(exit.from, latch);
             });
    });
    if (leave_together) continue;
    for (const BlockId block : loop.blocks) in_step[block] = false;
  }
  for (BlockId b = 0; b < blocks; ++b) {
    if (uniformity.of_block(b) <= kernel::Uniformity::kBlock) in_step[b] = true;
  }
  return in_step;
}

}  // namespace

std::vector<bool> find_uniform_values(const kernel::Function& ssa) {
  const kernel::ControlFlowGraph graph(ssa);
  const kernel::Liveness liveness(ssa, graph, kernel::GuardedWrite::kReplacesValue);
  const kernel::UniformityAnalysis uniformity(ssa, graph, liveness);
  const std::vector<bool> in_step = find_blocks_in_step(graph, uniformity, ssa.blocks.size());
  std::vector<bool> uniform(ssa.registers.size(), false);
  for (BlockId b = 0; b < ssa.blocks.size(); ++b) {
    if (!in_step[b]) continue;
    for (const Instruction& i : ssa.blocks[b].instructions) {
      if (i.destinations.size() != 1 || !i.destinations[0].is_register()) continue;
      const RegisterId value = i.destinations[0].index;
      uniform[value] = (kernel::is_phi(i) || follows_from_operands(i)) &&
                       uniformity.of_register(value) <= kernel::Uniformity::kBlock;
    }
  }
  keep_to_operands(ssa, uniform);
  return uniform;
}

TurnCounters find_turn_counters(const kernel::Function& ssa, const std::vector<bool>& uniform,
                                const std::vector<bool>& shared) {
  const kernel::ControlFlowGraph graph(ssa);
  const kernel::DominatorTree dominators(graph);
  const kernel::LoopForest loops(graph, dominators);
  TurnCounters turns;
  turns.loop.assign(ssa.registers.size(), kernel::kNoId);
  turns.stays.assign(ssa.registers.size(), true);
  for (const kernel::Loop& loop : loops.loops()) {
    std::vector<bool> within(ssa.blocks.size(), false);
    for (const BlockId block : loop.blocks) within[block] = true;
    turns.blocks.push_back(std::move(within));
    for (const Instruction& i : ssa.blocks[loop.header].instructions) {
      if (!kernel::is_phi(i)) break;
      const RegisterId value = i.destinations[0].index;
      if (uniform[value] && !shared[value])
        turns.loop[value] = static_cast<std::uint32_t>(turns.blocks.size() - 1);
    }
  }
  std::vector<std::uint32_t> around(ssa.registers.size(), kernel::kNoId);
  for (BlockId b = 0; b < ssa.blocks.size(); ++b) {
    for (const Instruction& i : ssa.blocks[b].instructions)
      kernel::for_each_def(i, [&](RegisterId value) { around[value] = loops.innermost(b); });
  }
  const auto read = [&](RegisterId value, BlockId block) {
    const std::uint32_t loop = around[value];
    if (loop == kernel::kNoId || !turns.blocks[loop][block]) turns.stays[value] = false;
  };
  for (BlockId b = 0; b < ssa.blocks.size(); ++b) {
    for (const Instruction& i : ssa.blocks[b].instructions) {
      if (kernel::is_phi(i)) {  // reads where control comes from
        for (std::size_t s = 0; s < i.sources.size(); ++s) {
          if (i.sources[s].is_register()) read(i.sources[s].index, graph.predecessors(b)[s]);
        }
      } else {
        kernel::for_each_use(i, [&](RegisterId value) { read(value, b); });
      }
    }
  }
  for (RegisterId value = 0; value < shared.size(); ++value) {
    if (shared[value]) turns.stays[value] = false;
  }
  return turns;
}

namespace {

class InductionSplitter {
 public:
  explicit InductionSplitter(kernel::Function& ssa)
      : ssa_(ssa),
        graph_(ssa),
        dominators_(graph_),
        liveness_(ssa, graph_, kernel::GuardedWrite::kReplacesValue),
        uniformity_(ssa, graph_, liveness_),
        in_step_(find_blocks_in_step(graph_, uniformity_, ssa.blocks.size())),
        definitions_(ssa.registers.size()) {
    for (BlockId b = 0; b < ssa.blocks.size(); ++b) {
      for (const Instruction& i : ssa.blocks[b].instructions)
        kernel::for_each_def(i, [&](RegisterId value) { definitions_[value] = {b, &i}; });
    }
  }

  void run() {
    std::vector<Induction> found;
    for (BlockId b = 0; b < ssa_.blocks.size(); ++b) {
      if (!in_step_[b]) continue;
      for (const Instruction& i : ssa_.blocks[b].instructions) {
        if (!kernel::is_phi(i)) break;
        if (const auto induction = induction_of(b, i)) found.push_back(*induction);
      }
    }
    for (const Induction& induction : found) split(induction);
  }

 private:
  struct Place {
    BlockId block = kernel::kNoId;
    const Instruction* instruction = nullptr;
  };
  struct Induction {
    BlockId header = 0;
    RegisterId value = 0;    // of the phi
    std::size_t before = 0;  // the source that comes from outside of the loop
    RegisterId next = 0;     // value + step
    BlockId latch = 0;       // where that is computed
    Operand step;
  };

  bool is_outside(const Operand& operand, BlockId header) const {
    if (!operand.is_register()) return operand.kind == Operand::Kind::kImmediate;
    const Place& place = definitions_[operand.index];
    return place.block != kernel::kNoId && place.block != header &&
           dominators_.dominates(place.block, header);
  }

  std::optional<Induction> induction_of(BlockId header, const Instruction& phi) const {
    if (phi.sources.size() != 2 || kernel::is_float(phi.type) || kernel::size_of(phi.type) < 4 ||
        !phi.destinations[0].is_register())
      return std::nullopt;
    const RegisterId value = phi.destinations[0].index;
    for (const std::size_t before : {0u, 1u}) {
      const Operand& start = phi.sources[before];
      const Operand& next = phi.sources[1 - before];
      if (!start.is_register() || !next.is_register() || !is_outside(start, header)) continue;
      if (uniformity_.of_register(value) <= kernel::Uniformity::kBlock) continue;
      const Place& place = definitions_[next.index];
      if (place.instruction == nullptr || !dominators_.dominates(header, place.block)) continue;
      const Instruction& add = *place.instruction;
      if (add.opcode != Opcode::kAdd || add.guard.present() || add.carry_in || add.carry_out ||
          add.saturate || kernel::size_of(add.type) != kernel::size_of(phi.type))
        continue;
      for (const std::size_t own : {0u, 1u}) {
        if (!(add.sources[own] == Operand::reg(value))) continue;
        const Operand& step = add.sources[1 - own];
        if (!is_outside(step, header) || uniformity_.of_operand(step) > kernel::Uniformity::kBlock)
          continue;
        return Induction{header, value, before, next.index, place.block, step};
      }
    }
    return std::nullopt;
  }

  RegisterId new_register(kernel::Type type) {
    ssa_.registers.push_back({fmt::format("turn{}", ssa_.registers.size()), type});
    return static_cast<RegisterId>(ssa_.registers.size() - 1);
  }

  static Instruction addition(RegisterId result, const Operand& a, const Operand& b,
                              const Instruction& like) {
    Instruction add = like;
    add.opcode = Opcode::kAdd;
    add.guard = {};
    add.destinations = {Operand::reg(result)};
    add.sources = {a, b};
    return add;
  }

  // value = phi(start, value + step) becomes value = start + turn, turn = phi(0, turn + step).
  void split(const Induction& induction) {
    auto& code = ssa_.blocks[induction.header].instructions;
    std::size_t phis = 0, place = 0;
    for (; phis < code.size() && kernel::is_phi(code[phis]); ++phis) {
      if (code[phis].destinations[0] == Operand::reg(induction.value)) place = phis;
    }
    const RegisterId turn = new_register(code[place].type),
                     next_turn = new_register(code[place].type);
    const Operand start = code[place].sources[induction.before];
    Instruction like = instruction_of(induction.latch, induction.next);
    code[place].destinations = {Operand::reg(turn)};
    code[place].sources[induction.before] = Operand::immediate(0);
    code[place].sources[1 - induction.before] = Operand::reg(next_turn);
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(phis),
                addition(induction.value, start, Operand::reg(turn), like));
    auto& latch = ssa_.blocks[induction.latch].instructions;
    const auto at = std::find_if(latch.begin(), latch.end(), [&](const Instruction& i) {
      return !i.destinations.empty() && i.destinations[0] == Operand::reg(induction.next);
    });
    // What only the phi read would keep the value alive for nothing.
    const bool is_read = is_used(induction.next);
    const auto added =
        latch.insert(at, addition(next_turn, Operand::reg(turn), induction.step, like));
    if (!is_read) latch.erase(added + 1);
  }

  bool is_used(RegisterId value) const {
    bool used = false;
    for (const kernel::Block& block : ssa_.blocks) {
      for (const Instruction& i : block.instructions)
        kernel::for_each_use(i, [&](RegisterId read) { used = used || read == value; });
    }
    return used;
  }

  Instruction instruction_of(BlockId block, RegisterId value) const {
    for (const Instruction& i : ssa_.blocks[block].instructions) {
      if (!i.destinations.empty() && i.destinations[0] == Operand::reg(value)) return i;
    }
    return {};
  }

  kernel::Function& ssa_;
  kernel::ControlFlowGraph graph_;
  kernel::DominatorTree dominators_;
  kernel::Liveness liveness_;
  kernel::UniformityAnalysis uniformity_;
  std::vector<bool> in_step_;  // by block
  std::vector<Place> definitions_;
};

}  // namespace

void split_inductions(kernel::Function& ssa) { InductionSplitter(ssa).run(); }

}  // namespace raddle::machine::cgra
