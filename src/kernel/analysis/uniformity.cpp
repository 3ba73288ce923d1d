#include "kernel/analysis/uniformity.h"

#include <algorithm>

#include "kernel/analysis/dominators.h"
#include "kernel/special_registers.h"

namespace raddle::kernel {

std::string_view name_of(Uniformity uniformity) {
  switch (uniformity) {
    case Uniformity::kGrid: return "grid";
    case Uniformity::kBlock: return "block";
    case Uniformity::kWarp: return "warp";
    case Uniformity::kDivergent: return "divergent";
  }
  return "divergent";
}

UniformityAnalysis::UniformityAnalysis(const Function& function, const ControlFlowGraph& graph,
                                       const Liveness& liveness)
    : function_(function),
      graph_(graph),
      liveness_(liveness),
      meeting_points_(reconvergence_points(graph)),
      registers_(function.registers.size(), Uniformity::kGrid),
      branches_(graph.size(), Uniformity::kGrid),
      blocks_(graph.size(), Uniformity::kGrid),
      regions_(graph.size()) {
  // Levels only rise, so this ends.
  bool changed = true;
  while (changed) {
    changed = false;
    for (const BlockId block : graph.reverse_post_order()) {
      changed |= propagate_through(block);
      changed |= spread_divergence(block);
    }
  }
}

bool UniformityAnalysis::raise(Uniformity& level, Uniformity at_least) {
  if (level >= at_least) return false;
  level = at_least;
  return true;
}

Uniformity UniformityAnalysis::of_special(SpecialRegister special) const {
  const auto& threads = function_.required_threads;
  // With whole warps in a row (or in a plane) of the block, all lanes share the coordinates beyond
  // it.
  const bool warps_within_rows = threads[0] != 0 && threads[0] % 32 == 0;
  const bool warps_within_planes =
      threads[0] != 0 && threads[0] * std::max(threads[1], 1u) % 32 == 0;
  switch (special) {
    case SpecialRegister::kTidY:
      return warps_within_rows ? Uniformity::kWarp : Uniformity::kDivergent;
    case SpecialRegister::kTidZ:
      return warps_within_planes ? Uniformity::kWarp : Uniformity::kDivergent;
    case SpecialRegister::kWarpId: return Uniformity::kWarp;
    case SpecialRegister::kCtaidX:
    case SpecialRegister::kCtaidY:
    case SpecialRegister::kCtaidZ:
    case SpecialRegister::kSmId: return Uniformity::kBlock;
    default:  // what is not of the launch is a place within the warp, or a clock
      return is_launch_constant(special) ? Uniformity::kGrid : Uniformity::kDivergent;
  }
}

Uniformity UniformityAnalysis::of_operand(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::kRegister: return registers_[operand.index];
    case Operand::Kind::kSpecial: return of_special(operand.special);
    default:  // constants; and addresses of symbols, which are the same number in every thread
      return Uniformity::kGrid;
  }
}

Uniformity UniformityAnalysis::of_load(const Instruction& instruction, Uniformity operands) const {
  if (instruction.space == Space::kConst || instruction.non_coherent) return operands;
  if (instruction.space != Space::kParam || !function_.is_entry) return Uniformity::kDivergent;
  const Operand& base = instruction.sources[0];
  const bool own_parameter =
      base.kind != Operand::Kind::kSymbol || base.symbol == SymbolKind::kParameter;
  return own_parameter ? operands : Uniformity::kDivergent;  // else what a call returned
}

Uniformity UniformityAnalysis::of_result(const Instruction& instruction) const {
  Uniformity operands = Uniformity::kGrid;
  if (instruction.guard.present()) operands = registers_[instruction.guard.predicate];
  for (const Operand& source : instruction.sources)
    operands = std::max(operands, of_operand(source));
  switch (instruction.opcode) {
    case Opcode::kLd: return of_load(instruction, operands);
    case Opcode::kVote:
    case Opcode::kRedux: {
      // One answer for all lanes of the mask, whatever each of them put in.
      const bool has_mask = instruction.sources.size() > 1;
      const Uniformity mask = has_mask ? of_operand(instruction.sources[1]) : Uniformity::kGrid;
      return std::max(Uniformity::kWarp, mask);
    }
    case Opcode::kActiveMask: return Uniformity::kWarp;
    case Opcode::kBar: return Uniformity::kBlock;
    case Opcode::kAtom:
    case Opcode::kSuld:
    case Opcode::kShfl:
    case Opcode::kMatch:
    case Opcode::kMma:
    case Opcode::kMovMatrix:
    case Opcode::kLdMatrix:
    case Opcode::kItReceiveConst:
    case Opcode::kItReceiveLoad: return Uniformity::kDivergent;
    default: return operands;
  }
}

Uniformity UniformityAnalysis::condition_of(const Instruction& instruction) const {
  Uniformity level = Uniformity::kGrid;
  if (instruction.guard.present()) level = registers_[instruction.guard.predicate];
  if (instruction.opcode == Opcode::kBrx && !instruction.sources.empty()) {
    level = std::max(level, of_operand(instruction.sources[0]));
  }
  return level;
}

bool UniformityAnalysis::propagate_through(BlockId block) {
  bool changed = false;
  for (const Instruction& instruction : function_.blocks[block].instructions) {
    if (instruction.destinations.empty()) continue;
    const Uniformity level = of_result(instruction);
    for_each_def(instruction, [&](RegisterId id) { changed |= raise(registers_[id], level); });
  }
  return changed;
}

bool UniformityAnalysis::spread_divergence(BlockId branch) {
  if (graph_.successors(branch).size() < 2) return false;
  const Uniformity level = condition_of(function_.blocks[branch].instructions.back());
  bool changed = raise(branches_[branch], level);
  if (level == Uniformity::kGrid || !changed) return changed;
  const Region& region = region_of(branch);
  for (const BlockId block : region.blocks) raise(blocks_[block], level);
  for (const RegisterId id : region.written) raise(registers_[id], level);
  return changed;
}

const UniformityAnalysis::Region& UniformityAnalysis::region_of(BlockId branch) {
  Region& region = regions_[branch];
  if (region.known) return region;
  region.known = true;
  const BlockId meeting_point = meeting_points_[branch];
  std::vector<std::uint32_t> ways(
      graph_.size());  // by block: successors of the branch that lead to it
  std::vector<BlockId> work;
  for (const BlockId successor : graph_.successors(branch)) {
    std::vector<bool> seen(graph_.size());
    const auto visit = [&](BlockId block) {
      if (seen[block]) return;
      seen[block] = true;
      ++ways[block];
      if (block != meeting_point) work.push_back(block);
    };
    visit(successor);
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      for (const BlockId next : graph_.successors(block)) visit(next);
    }
  }
  for (BlockId block = 0; block < graph_.size(); ++block) {
    if (ways[block] > 0 && block != meeting_point) region.blocks.push_back(block);
    if (ways[block] > 1) region.joins.push_back(block);
  }
  find_written(region);
  return region;
}

void UniformityAnalysis::find_written(Region& region) const {
  BitSet live_at_joins(registers_.size());
  BitSet written(registers_.size());
  for (const BlockId join : region.joins) {
    live_at_joins.add_all(liveness_.live_in(join));
    for (const Instruction& instruction : function_.blocks[join].instructions) {
      if (!is_phi(instruction)) break;
      for_each_def(instruction, [&](RegisterId id) { written.insert(id); });
    }
  }
  for (const BlockId block : region.blocks) {
    for (const Instruction& instruction : function_.blocks[block].instructions) {
      for_each_def(instruction, [&](RegisterId id) {
        if (live_at_joins.contains(id)) written.insert(id);
      });
    }
  }
  written.for_each([&](RegisterId id) { region.written.push_back(id); });
}

}  // namespace raddle::kernel
