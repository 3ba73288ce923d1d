#include "machine/cgra/compile/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/analysis/ssa.h"
#include "machine/cgra/compile/critical_edges.h"
#include "machine/cgra/compile/slot_sharing.h"
#include "machine/cgra/compile/tag_joining.h"
#include "machine/cgra/compile/uniform_values.h"

namespace raddle::machine::cgra {

using kernel::BlockId;
using kernel::Guard;
using kernel::Instruction;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Operand;
using kernel::RegisterId;

namespace {

Entry entry_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kBar) return Entry::kBarrier;
  const bool waits_for_lanes =
      instruction.opcode == Opcode::kWarpSync || group_of(instruction.opcode) == OpcodeGroup::kWarp;
  return waits_for_lanes ? Entry::kWarp : Entry::kFree;
}

class Cutter {
 public:
  Cutter(kernel::Function function, std::vector<bool> shared) : graph_(function) {
    kernel_.function = std::move(function);
    kernel_.shared = std::move(shared);
  }

  SegmentedKernel run() {
    first_of_.assign(graph_.size(), kThreadTraps);
    for (const BlockId block : graph_.reverse_post_order()) cut(block);
    for (std::size_t s = 0; s < kernel_.segments.size(); ++s) connect(static_cast<SegmentId>(s));
    for (std::size_t s = 0; s < kernel_.segments.size(); ++s) {
      for (const SegmentEdge& edge : kernel_.segments[s].edges) {
        if (edge.to < kernel_.segments.size())
          kernel_.segments[edge.to].predecessors.push_back(static_cast<SegmentId>(s));
      }
    }
    kernel_.shared.resize(kernel_.function.registers.size(), false);
    return std::move(kernel_);
  }

 private:
  void cut(BlockId block) {
    compare_index(block);
    const auto& code = kernel_.function.blocks[block].instructions;
    auto end = static_cast<std::uint32_t>(code.size());
    if (end > 0 && ends_block(code.back())) --end;
    std::uint32_t first = 0;
    while (first < end && kernel::is_phi(code[first])) ++first;
    first_of_[block] = static_cast<SegmentId>(kernel_.segments.size());
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      Segment segment;
      segment.block = block;
      segment.first = from;
      segment.end = to;
      segment.starts_block = first_of_[block] == kernel_.segments.size();
      segment.entry = from < to ? entry_of(code[from]) : Entry::kFree;
      kernel_.segments.push_back(std::move(segment));
    };
    std::uint32_t start = first;
    for (std::uint32_t i = first; i < end; ++i) {
      if (entry_of(code[i]) == Entry::kFree || i == start) continue;
      add(start, i);
      start = i;
    }
    // Phis and waiting do not go together: values must have met before.
    if (first > 0 && start == first && start < end && entry_of(code[start]) != Entry::kFree)
      add(first, first);
    add(start, end);
  }

  // A predicate for each target of an indexed branch.
  void compare_index(BlockId block) {
    auto& code = kernel_.function.blocks[block].instructions;
    if (code.empty() || code.back().opcode != Opcode::kBrx) return;
    Instruction branch = code.back();
    code.pop_back();
    for (std::size_t t = 0; t < branch.targets.size(); ++t) {
      Instruction compare;
      compare.opcode = Opcode::kSetp;
      compare.type = kernel::Type::kU32;
      compare.compare = kernel::Compare::kEq;
      compare.location = branch.location;
      const auto id = static_cast<RegisterId>(kernel_.function.registers.size());
      kernel_.function.registers.push_back(
          {fmt::format("target{}_{}", block, t), kernel::Type::kPred});
      compare.destinations = {Operand::reg(id)};
      compare.sources = {branch.sources[0], Operand::immediate(t)};
      if (branch.guard.present()) {
        compare.combine = kernel::Combine::kAnd;
        compare.sources.push_back(Operand::reg(branch.guard.predicate, branch.guard.negated));
      }
      code.push_back(std::move(compare));
    }
    code.push_back(std::move(branch));
  }

  SegmentEdge edge_to(BlockId from, BlockId to, Guard condition, std::uint32_t location) const {
    const auto& before = graph_.predecessors(to);
    const auto place = std::find(before.begin(), before.end(), from);
    return {first_of_[to], condition, static_cast<std::uint32_t>(place - before.begin()), location};
  }

  void connect(SegmentId id) {
    Segment& segment = kernel_.segments[id];
    const bool more = id + 1 < kernel_.segments.size() &&
                      kernel_.segments[id + 1].block == segment.block &&
                      !kernel_.segments[id + 1].starts_block;
    if (more) {
      segment.edges.push_back({id + 1, {}, 0, 0});
      return;
    }
    leave_block(segment, kernel_.function.blocks[segment.block].instructions);
  }

  void leave_block(Segment& segment, const std::vector<Instruction>& code) {
    const BlockId block = segment.block;
    const Instruction* branch = !code.empty() && ends_block(code.back()) ? &code.back() : nullptr;
    const std::uint32_t location = branch != nullptr ? branch->location : 0;
    const Guard guard = branch != nullptr ? branch->guard : Guard{};
    const Guard otherwise{guard.predicate, !guard.negated};
    if (branch == nullptr) {
      segment.edges.push_back(edge_to(block, block + 1, {}, location));
      return;
    }
    switch (branch->opcode) {
      case Opcode::kBra:
        if (guard.present() && branch->targets[0] == block + 1) {
          segment.edges.push_back(edge_to(block, block + 1, {}, location));
          return;
        }
        segment.edges.push_back(edge_to(block, branch->targets[0], guard, location));
        break;
      case Opcode::kBrx: add_indexed(segment, *branch, code); break;
      case Opcode::kTrap: segment.edges.push_back({kThreadTraps, guard, 0, location}); break;
      default: segment.edges.push_back({kThreadEnds, guard, 0, location}); break;
    }
    if (guard.present()) segment.edges.push_back(edge_to(block, block + 1, otherwise, location));
  }

  // One edge for each entry of the table. Two entries of one target would need a phi source each;
  // both come from this block, so the sources are the same.
  void add_indexed(Segment& segment, const Instruction& branch,
                   const std::vector<Instruction>& code) {
    const std::size_t compares = code.size() - 1 - branch.targets.size();
    for (std::size_t t = 0; t < branch.targets.size(); ++t) {
      const RegisterId hit = code[compares + t].destinations[0].index;
      segment.edges.push_back(
          edge_to(segment.block, branch.targets[t], Guard{hit, false}, branch.location));
    }
  }

  SegmentedKernel kernel_;
  kernel::ControlFlowGraph graph_;
  std::vector<SegmentId> first_of_;  // by block
};

}  // namespace

void SegmentedKernel::split(SegmentId id, std::uint32_t at) {
  const auto count = static_cast<SegmentId>(segments.size());
  for (Segment& segment : segments) {
    for (SegmentEdge& edge : segment.edges) {
      if (edge.to > id && edge.to < count) ++edge.to;
    }
    // What left the segment leaves its second half from now on.
    for (SegmentId& before : segment.predecessors) {
      if (before >= id) ++before;
    }
  }
  Segment rest = segments[id];
  rest.first = at;
  rest.entry = Entry::kFree;
  rest.starts_block = false;
  rest.starts_piece = false;
  rest.predecessors = {id};
  segments[id].end = at;
  segments[id].edges = {{id + 1, {}, 0, 0}};
  segments.insert(segments.begin() + id + 1, std::move(rest));
}

SegmentedKernel cut_into_segments(const kernel::Function& function, const kernel::Module& module,
                                  std::size_t most_phis) {
  kernel::Function with_one_tag = split_critical_edges(function);
  join_tags(with_one_tag, module);
  kernel::Function ssa = kernel::construct_ssa(with_one_tag).function;
  split_inductions(ssa);
  std::vector<bool> uniform = find_uniform_values(ssa);
  std::vector<bool> shared = share_slots(ssa, most_phis);
  TurnCounters turns = find_turn_counters(ssa, uniform, shared);
  SegmentedKernel cut = Cutter(std::move(ssa), std::move(shared)).run();
  cut.turns = std::move(turns);
  cut.uniform = std::move(uniform);
  return cut;
}

}  // namespace raddle::machine::cgra
