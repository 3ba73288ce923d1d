#include "machine/cgra/compile/slot_sharing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/analysis/liveness.h"

namespace raddle::machine::cgra {

using kernel::BlockId;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;

namespace {

class Sharing {
 public:
  Sharing(kernel::Function& ssa, std::size_t most_phis)
      : ssa_(ssa),
        most_phis_(most_phis),
        graph_(ssa),
        liveness_(ssa, graph_, kernel::GuardedWrite::kReplacesValue),
        shared_(ssa.registers.size(), false) {
    for (BlockId b = 0; b < ssa.blocks.size(); ++b) {
      const auto& code = ssa.blocks[b].instructions;
      for (std::size_t i = 0; i < code.size(); ++i)
        kernel::for_each_def(code[i], [&](RegisterId value) { definitions_[value] = {b, i}; });
    }
  }

  std::vector<bool> run() {
    std::map<RegisterId, RegisterId> renamed;
    for (BlockId header = 0; header < ssa_.blocks.size(); ++header) {
      if (phis_of(header) <= most_phis_) continue;
      for (const Instruction& phi : ssa_.blocks[header].instructions) {
        if (!kernel::is_phi(phi)) break;
        find_partner(phi, header, renamed);
      }
    }
    rename(renamed);
    for (BlockId header = 0; header < ssa_.blocks.size(); ++header) {
      if (phis_of(header) > most_phis_) write_first_values(header);
    }
    return std::move(shared_);
  }

 private:
  struct Place {
    BlockId block;
    std::size_t instruction;
  };

  std::size_t phis_of(BlockId block) const {
    const auto& code = ssa_.blocks[block].instructions;
    return static_cast<std::size_t>(std::find_if_not(code.begin(), code.end(), kernel::is_phi) -
                                    code.begin());
  }

  // A value that comes to the phi along a loop, and may take its register.
  void find_partner(const Instruction& phi, BlockId header,
                    std::map<RegisterId, RegisterId>& renamed) const {
    const RegisterId slot = phi.destinations[0].index;
    if (ssa_.registers[slot].type == kernel::Type::kPred) return;
    for (std::size_t s = 0; s < phi.sources.size(); ++s) {
      const Operand& source = phi.sources[s];
      if (!source.is_register() || source.index == slot || renamed.contains(source.index)) continue;
      const BlockId from = graph_.predecessors(header)[s];
      if (graph_.rank(from) < graph_.rank(header)) continue;  // not along the loop
      const auto place = definitions_.find(source.index);
      if (place == definitions_.end() || !may_take(slot, place->second)) continue;
      if (ssa_.registers[source.index].type != ssa_.registers[slot].type) continue;
      renamed[source.index] = slot;
      return;
    }
  }

  // Nobody reads the phi's value after the place, until it is written anew.
  bool may_take(RegisterId slot, const Place& place) const {
    const auto& code = ssa_.blocks[place.block].instructions;
    const Instruction& writer = code[place.instruction];
    if (kernel::is_phi(writer) || writer.destinations.size() != 1) return false;
    if (liveness_.live_out(place.block).contains(slot)) return false;
    for (std::size_t i = place.instruction + 1; i < code.size(); ++i) {
      bool reads = false;
      kernel::for_each_use(code[i], [&](RegisterId value) { reads = reads || value == slot; });
      if (reads) return false;
    }
    return true;
  }

  void rename(const std::map<RegisterId, RegisterId>& renamed) {
    const auto change = [&](Operand& operand) {
      const auto found = operand.is_register() ? renamed.find(operand.index) : renamed.end();
      if (found != renamed.end()) operand.index = found->second;
    };
    for (const auto& [value, slot] : renamed) shared_[slot] = true;
    for (kernel::Block& block : ssa_.blocks) {
      for (Instruction& i : block.instructions) {
        for (Operand& operand : i.destinations) change(operand);
        for (Operand& operand : i.sources) change(operand);
      }
    }
  }

  // In front of the loop, if nothing else comes after the block there.
  void write_first_values(BlockId header) {
    const auto& before = graph_.predecessors(header);
    for (std::size_t s = 0; s < before.size(); ++s) {
      const BlockId from = before[s];
      if (graph_.rank(from) >= graph_.rank(header) || graph_.successors(from).size() != 1 ||
          graph_.exit(from) != kernel::BlockExit::kNone)
        continue;
      auto& code = ssa_.blocks[from].instructions;
      const bool ends = !code.empty() && ends_block(code.back());
      auto place = code.end() - (ends ? 1 : 0);
      for (Instruction& phi : ssa_.blocks[header].instructions) {
        if (!kernel::is_phi(phi)) break;
        const RegisterId slot = phi.destinations[0].index;
        if (ssa_.registers[slot].type == kernel::Type::kPred ||
            phi.sources[s] == Operand::reg(slot))
          continue;
        Instruction move;
        move.opcode = Opcode::kMov;
        move.type = phi.type;
        move.location = phi.location;
        move.destinations = {Operand::reg(slot)};
        move.sources = {phi.sources[s]};
        place = code.insert(place, std::move(move)) + 1;
        phi.sources[s] = Operand::reg(slot);
        shared_[slot] = true;
      }
    }
  }

  kernel::Function& ssa_;
  std::size_t most_phis_;
  kernel::ControlFlowGraph graph_;
  kernel::Liveness liveness_;
  std::map<RegisterId, Place> definitions_;
  std::vector<bool> shared_;
};

}  // namespace

std::vector<bool> share_slots(kernel::Function& ssa, std::size_t most_phis) {
  return Sharing(ssa, most_phis).run();
}

}  // namespace raddle::machine::cgra
