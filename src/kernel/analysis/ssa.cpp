#include "kernel/analysis/ssa.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/liveness.h"

namespace raddle::kernel {
namespace {

Type bits_of(Type type) {
  switch (size_of(type)) {
    case 1: return Type::kB8;
    case 2: return Type::kB16;
    case 4: return Type::kB32;
    case 8: return Type::kB64;
    default: return type;
  }
}

class SsaBuilder {
 public:
  explicit SsaBuilder(const Function& function) : function_(function) {
    own_registers_ = function.registers.size();
    original_.resize(own_registers_);
    for (RegisterId id = 0; id < original_.size(); ++id) original_[id] = id;
  }

  SsaForm build() {
    if (!function_.blocks.empty()) {
      separate_entry();
      close_unreachable_blocks();
      expand_guarded_writes();
      const ControlFlowGraph graph(function_);
      const DominatorTree tree(graph);
      place_phis(graph, tree);
      rename(graph, tree);
    }
    return {std::move(function_), std::move(original_)};
  }

 private:
  RegisterId add_register(RegisterId model) {
    const RegisterId root = original_[model];
    const Register& old = function_.registers[root];
    if (versions_.size() < function_.registers.size()) versions_.resize(function_.registers.size());
    Register fresh{old.name + "." + std::to_string(++versions_[root]), old.type};
    function_.registers.push_back(std::move(fresh));
    original_.push_back(root);
    return static_cast<RegisterId>(function_.registers.size() - 1);
  }

  // Nothing may lead to the first block, for a phi has no source for the way in from outside.
  void separate_entry() {
    if (ControlFlowGraph(function_).predecessors(0).empty()) return;
    for (Block& block : function_.blocks) {
      for (Instruction& instruction : block.instructions) {
        for (BlockId& target : instruction.targets) ++target;
      }
    }
    function_.blocks.insert(function_.blocks.begin(), Block{});
  }

  void close_unreachable_blocks() {
    const ControlFlowGraph graph(function_);
    Instruction trap;
    trap.opcode = Opcode::kTrap;
    for (BlockId block = 0; block < graph.size(); ++block) {
      if (!graph.reachable(block)) function_.blocks[block].instructions.assign(1, trap);
    }
  }

  // --- guarded writes --------------------------------------------------------------------------------------------------

  // By block: registers that some path to its beginning has written.
  std::vector<BitSet> written_before(const ControlFlowGraph& graph) const {
    std::vector<BitSet> before(graph.size(), BitSet(function_.registers.size()));
    bool changed = true;
    while (changed) {
      changed = false;
      for (const BlockId block : graph.reverse_post_order()) {
        BitSet written = before[block];
        for (const Instruction& instruction : function_.blocks[block].instructions) {
          for_each_def(instruction, [&](RegisterId id) { written.insert(id); });
        }
        for (const BlockId successor : graph.successors(block))
          changed |= before[successor].add_all(written);
      }
    }
    return before;
  }

  void expand_guarded_writes() {
    const auto writes_partly = [](const Instruction& instruction) {
      return is_partial_write(instruction) && !instruction.destinations.empty();
    };
    const bool any =
        std::any_of(function_.blocks.begin(), function_.blocks.end(), [&](const Block& block) {
          return std::any_of(block.instructions.begin(), block.instructions.end(), writes_partly);
        });
    if (!any) return;
    std::vector<BitSet> before = written_before(ControlFlowGraph(function_));
    for (BlockId block = 0; block < function_.blocks.size(); ++block) {
      std::vector<Instruction> expanded;
      for (Instruction& instruction : function_.blocks[block].instructions) {
        const bool partial = writes_partly(instruction);
        std::vector<Instruction> merges;
        for (Operand& destination : instruction.destinations) {
          if (!destination.is_register()) continue;
          const RegisterId id = destination.index;
          if (partial && before[block].contains(id)) {
            destination.index = add_register(id);
            merges.push_back(merge_of(instruction, destination.index, id));
          }
          before[block].insert(id);
        }
        // The guard itself is merged last: the other merges still read it.
        std::stable_partition(merges.begin(), merges.end(), [&](const Instruction& merge) {
          return merge.destinations[0].index != instruction.guard.predicate;
        });
        expanded.push_back(std::move(instruction));
        std::move(merges.begin(), merges.end(), std::back_inserter(expanded));
      }
      function_.blocks[block].instructions = std::move(expanded);
    }
  }

  // id = guard ? fresh : id
  Instruction merge_of(const Instruction& guarded, RegisterId fresh, RegisterId id) const {
    Instruction merge;
    merge.opcode = Opcode::kSelp;
    merge.type = bits_of(function_.registers[id].type);
    merge.location = guarded.location;
    merge.destinations = {Operand::reg(id)};
    merge.sources = {Operand::reg(fresh), Operand::reg(id), Operand::reg(guarded.guard.predicate)};
    if (guarded.guard.negated) std::swap(merge.sources[0], merge.sources[1]);
    return merge;
  }

  // --- phis ------------------------------------------------------------------------------------------------------------

  void place_phis(const ControlFlowGraph& graph, const DominatorTree& tree) {
    const Liveness liveness(function_, graph);
    const auto frontiers = dominance_frontiers(graph, tree);
    std::vector<std::vector<BlockId>> writers(function_.registers.size());
    writes_.assign(function_.registers.size(), 0);
    for (const BlockId block : graph.reverse_post_order()) {
      for (const Instruction& instruction : function_.blocks[block].instructions) {
        for_each_def(instruction, [&](RegisterId id) {
          ++writes_[id];
          if (writers[id].empty() || writers[id].back() != block) writers[id].push_back(block);
        });
      }
    }
    phis_.resize(graph.size());
    for (RegisterId id = 0; id < own_registers_; ++id) {
      place_phis_of(id, std::move(writers[id]), frontiers, liveness);
      // Read somewhere before it is written: the old number stays free for that.
      if (liveness.live_in(0).contains(id)) writes_[id] = 2;
    }
    for (BlockId block = 0; block < graph.size(); ++block) insert_phis(graph, block);
  }

  void place_phis_of(RegisterId id, std::vector<BlockId> work,
                     const std::vector<std::vector<BlockId>>& frontiers, const Liveness& liveness) {
    std::vector<BlockId> placed;
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      for (const BlockId join : frontiers[block]) {
        if (!liveness.live_in(join).contains(id)) continue;
        if (std::find(placed.begin(), placed.end(), join) != placed.end()) continue;
        placed.push_back(join);
        phis_[join].push_back(id);
        ++writes_[id];
        work.push_back(join);
      }
    }
  }

  void insert_phis(const ControlFlowGraph& graph, BlockId block) {
    std::vector<Instruction> phis;
    for (const RegisterId id : phis_[block]) {
      Instruction phi;
      phi.opcode = Opcode::kPhi;
      phi.type = bits_of(function_.registers[id].type);
      phi.destinations = {Operand::reg(id)};
      phi.sources.assign(graph.predecessors(block).size(), Operand::reg(id));
      phis.push_back(std::move(phi));
    }
    auto& instructions = function_.blocks[block].instructions;
    instructions.insert(instructions.begin(), phis.begin(), phis.end());
  }

  // --- names -----------------------------------------------------------------------------------------------------------

  // Walks the dominator tree with the version of each register that holds at that place.
  void rename(const ControlFlowGraph& graph, const DominatorTree& tree) {
    const std::size_t registers = writes_.size();
    current_.resize(registers);
    for (RegisterId id = 0; id < registers; ++id) current_[id] = id;
    struct Visit {
      BlockId block;
      std::size_t next_child;
      std::size_t undo_size;
    };
    std::vector<Visit> stack{{0, 0, 0}};
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next_child == 0) rename_block(graph, visit.block);
      const auto& children = tree.children(visit.block);
      if (visit.next_child < children.size()) {
        const BlockId child = children[visit.next_child++];
        stack.push_back({child, 0, undo_.size()});
        continue;
      }
      // A block without children comes here at its first visit; one with children after the last of
      // them.
      while (undo_.size() > visit.undo_size) {
        current_[undo_.back().first] = undo_.back().second;
        undo_.pop_back();
      }
      stack.pop_back();
    }
  }

  void rename_block(const ControlFlowGraph& graph, BlockId block) {
    for (Instruction& instruction : function_.blocks[block].instructions) {
      if (!is_phi(instruction)) {
        if (instruction.guard.present())
          instruction.guard.predicate = current(instruction.guard.predicate);
        for (Operand& source : instruction.sources) {
          if (source.is_register()) source.index = current(source.index);
        }
      }
      for (Operand& destination : instruction.destinations) {
        if (destination.is_register()) destination.index = new_version(destination.index);
      }
    }
    for (const BlockId successor : graph.successors(block)) fill_phis(graph, block, successor);
  }

  void fill_phis(const ControlFlowGraph& graph, BlockId block, BlockId successor) {
    const auto& predecessors = graph.predecessors(successor);
    const auto place =
        std::find(predecessors.begin(), predecessors.end(), block) - predecessors.begin();
    for (std::size_t i = 0; i < phis_[successor].size(); ++i) {
      Instruction& phi = function_.blocks[successor].instructions[i];
      phi.sources[static_cast<std::size_t>(place)] = Operand::reg(current(phis_[successor][i]));
    }
  }

  RegisterId current(RegisterId id) const { return id < current_.size() ? current_[id] : id; }

  RegisterId new_version(RegisterId id) {
    if (writes_[id] == 1) return id;
    const RegisterId fresh = add_register(id);
    undo_.emplace_back(id, current_[id]);
    current_[id] = fresh;
    return fresh;
  }

  Function function_;
  std::vector<RegisterId> original_;
  std::size_t own_registers_ =
      0;  // the rest hold results of guarded writes, each for its merge alone
  std::vector<std::uint32_t> versions_;        // by original register: how many versions there are
  std::vector<std::uint32_t> writes_;          // by register before renaming: places that write it
  std::vector<std::vector<RegisterId>> phis_;  // by block: which registers its phis are for
  std::vector<RegisterId> current_;
  std::vector<std::pair<RegisterId, RegisterId>> undo_;
};

}  // namespace

SsaForm construct_ssa(const Function& function) {
  for (const Block& block : function.blocks) {
    RADDLE_ASSERT(std::none_of(block.instructions.begin(), block.instructions.end(), is_phi));
  }
  return SsaBuilder(function).build();
}

}  // namespace raddle::kernel
