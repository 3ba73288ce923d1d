#include "kernel/analysis/register_allocation.h"

#include <algorithm>
#include <cmath>

#include "base/stop_token.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/latency_scheduling.h"
#include "kernel/analysis/liveness.h"
#include "kernel/analysis/loops.h"
#include "kernel/analysis/narrow_addresses.h"

namespace raddle::kernel {
namespace {

// Registers whose only write gives the same value to every thread of a launch, at no cost to read
// again.
std::vector<bool> find_constants(const Function& function, const ControlFlowGraph& graph) {
  std::vector<std::uint32_t> writes(function.registers.size());
  std::vector<const Instruction*> writer(function.registers.size());
  for (const BlockId block : graph.reverse_post_order()) {
    for (const Instruction& instruction : function.blocks[block].instructions) {
      for_each_def(instruction, [&](RegisterId id) {
        ++writes[id];
        writer[id] = &instruction;
      });
    }
  }
  std::vector<bool> constant(function.registers.size());
  const auto is_constant_operand = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::kImmediate || operand.kind == Operand::Kind::kSymbol ||
           (operand.is_register() && constant[operand.index]);
  };
  const auto gives_constant = [&](const Instruction& instruction) {
    if (instruction.guard.present()) return false;
    switch (instruction.opcode) {
      case Opcode::kLd:
        return function.is_entry && instruction.space == Space::kParam &&
               instruction.destinations.size() == 1 &&
               instruction.sources[0].kind == Operand::Kind::kSymbol &&
               instruction.sources[0].symbol == SymbolKind::kParameter;
      case Opcode::kMov:
      case Opcode::kCvta: return is_constant_operand(instruction.sources[0]);
      default: return false;
    }
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (RegisterId id = 0; id < constant.size(); ++id) {
      if (constant[id] || writes[id] != 1 || !gives_constant(*writer[id])) continue;
      constant[id] = true;
      changed = true;
    }
  }
  return constant;
}

class Allocator {
 public:
  Allocator(const Function& function, const RegisterLimits& limits)
      : function_(function),
        limits_(limits),
        graph_(function),
        tree_(graph_),
        liveness_(function, graph_),
        loops_(graph_, tree_),
        narrow_(find_narrow_addresses(function)),
        neighbours_(function.registers.size()),
        partners_(function.registers.size()),
        cost_(function.registers.size()) {
    if (function.max_registers != 0)
      limits_.registers = std::min(limits_.registers, function.max_registers);
    excluded_ = limits_.constant_bank ? find_constants(function, graph_)
                                      : std::vector<bool>(function.registers.size());
  }

  RegisterAllocation run() {
    find_order_and_costs();
    for (const RegisterId id : order_) values_ += is_predicate(id) ? 0 : width(id);
    find_interference();
    color(false, limits_.predicates, result_.spilled_predicates);
    color(true, limits_.registers, result_.spilled);
    count_spills();
    result_.registers_used = result_.registers_per_thread;
    result_.narrow = narrow_;
    result_.registers_per_thread = std::max(result_.registers_per_thread, limits_.least_registers);
    // A predicate without a register of its own is kept in a bit of a general one.
    if (!result_.spilled_predicates.empty()) {
      result_.registers_per_thread = std::min(result_.registers_per_thread + 1,
                                              std::max(limits_.registers, limits_.least_registers));
    }
    return std::move(result_);
  }

  // Of all registers but constants and predicates, as if none were shared.
  std::uint32_t values() const { return values_; }

 private:
  bool is_predicate(RegisterId id) const { return function_.registers[id].type == Type::kPred; }
  std::uint32_t width(RegisterId id) const {
    return size_of(function_.registers[id].type) == 8 && !narrow_[id] ? 2 : 1;
  }

  // Registers in the order in which control first writes (or reads) them. In SSA form this order
  // colours with as few registers as are ever live at once, and PTX is close to SSA form.
  void find_order_and_costs() {
    std::vector<bool> seen(function_.registers.size());
    const auto add = [&](RegisterId id, double weight) {
      cost_[id] += weight;
      if (seen[id] || excluded_[id]) return;
      seen[id] = true;
      order_.push_back(id);
    };
    liveness_on_entry(add);
    for (const BlockId block : tree_.pre_order()) {
      const double weight = std::pow(10.0, std::min(loops_.depth(block), 8u));
      for (const Instruction& instruction : function_.blocks[block].instructions) {
        for_each_use(instruction, [&](RegisterId id) { add(id, weight); });
        for_each_def(instruction, [&](RegisterId id) { add(id, weight); });
      }
    }
  }

  template <typename Add>
  void liveness_on_entry(Add add) {
    if (graph_.size() == 0) return;
    liveness_.live_in(0).for_each([&](RegisterId id) { add(id, 0); });
  }

  void connect(RegisterId a, RegisterId b) {
    if (a == b || excluded_[a] || excluded_[b] || is_predicate(a) != is_predicate(b)) return;
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  // A register that is written interferes with whatever is live after the instruction, but for
  // what a mov copies.
  void find_interference() {
    if (graph_.size() == 0) return;
    connect_all(liveness_.live_in(0));
    for (const BlockId block : graph_.reverse_post_order()) {
      liveness_.walk_backwards(block, [&](std::size_t index, const BitSet& live) {
        throw_if_stopped("allocating registers");
        const Instruction& instruction = function_.blocks[block].instructions[index];
        const RegisterId copied = copied_register(instruction);
        for_each_def(instruction, [&](RegisterId id) {
          if (copied != kNoId) {
            partners_[id].push_back(copied);
            partners_[copied].push_back(id);
          }
          live.for_each([&](RegisterId other) {
            if (other != copied) connect(id, other);
          });
          for_each_def(instruction, [&](RegisterId other) { connect(id, other); });
        });
      });
    }
    for (auto& list : neighbours_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  void connect_all(const BitSet& live) {
    std::vector<RegisterId> all;
    live.for_each([&](RegisterId id) { all.push_back(id); });
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) connect(all[i], all[j]);
    }
  }

  RegisterId copied_register(const Instruction& instruction) const {
    if (instruction.opcode != Opcode::kMov || !instruction.sources[0].is_register()) return kNoId;
    const RegisterId source = instruction.sources[0].index;
    const bool same_file = instruction.destinations[0].is_register() && !excluded_[source] &&
                           width(source) == width(instruction.destinations[0].index);
    return same_file ? source : kNoId;
  }

  void color(bool general, std::uint32_t limit, std::vector<RegisterId>& spilled) {
    if (result_.physical.empty()) result_.physical.assign(function_.registers.size(), kNoId);
    std::uint32_t used = 0;
    while (!try_color(general, limit, used)) spilled.push_back(victim_);
    (general ? result_.registers_per_thread : result_.predicates_per_thread) = used;
  }

  // False when the limit does not do; `victim_` is then the register that is cheapest to keep
  // elsewhere.
  bool try_color(bool general, std::uint32_t limit, std::uint32_t& used) {
    used = 0;
    for (const RegisterId id : order_) {
      if (is_predicate(id) != general) result_.physical[id] = kNoId;
    }
    for (const RegisterId id : order_) {
      if (is_predicate(id) == general || is_spilled(id)) continue;
      const std::uint32_t place = place_for(id);
      if (place + width(id) > limit) {
        choose_victim(id);
        return false;
      }
      result_.physical[id] = place;
      used = std::max(used, place + width(id));
    }
    return true;
  }

  bool is_spilled(RegisterId id) const { return id < spilled_.size() && spilled_[id]; }

  std::uint32_t place_for(RegisterId id) {
    taken_.assign(taken_.size(), false);
    const auto take = [&](std::uint32_t place) {
      if (place >= taken_.size()) taken_.resize(place + 16, false);
      taken_[place] = true;
    };
    for (const RegisterId other : neighbours_[id]) {
      const std::uint32_t place = result_.physical[other];
      if (place == kNoId) continue;
      for (std::uint32_t i = 0; i < width(other); ++i) take(place + i);
    }
    const std::uint32_t step = width(id);
    const auto is_free = [&](std::uint32_t place) {
      for (std::uint32_t i = place; i < place + step; ++i) {
        if (i < taken_.size() && taken_[i]) return false;
      }
      return true;
    };
    for (const RegisterId partner : partners_[id]) {
      const std::uint32_t place = result_.physical[partner];
      if (place != kNoId && is_free(place)) return place;
    }
    std::uint32_t place = 0;
    while (!is_free(place)) place += step;
    return place;
  }

  void choose_victim(RegisterId id) {
    victim_ = id;
    const auto price = [&](RegisterId candidate) {
      return cost_[candidate] / static_cast<double>(neighbours_[candidate].size() + 1);
    };
    for (const RegisterId other : neighbours_[id]) {
      if (result_.physical[other] != kNoId && width(other) >= width(id) &&
          price(other) < price(victim_)) {
        victim_ = other;
      }
    }
    spilled_.resize(function_.registers.size());
    spilled_[victim_] = true;
  }

  void count_spills() {
    for (const RegisterId id : result_.spilled) result_.spill_bytes += width(id) * 4;
    if (result_.spilled.empty()) return;
    for (const BlockId block : graph_.reverse_post_order()) {
      for (const Instruction& instruction : function_.blocks[block].instructions) {
        for_each_use(instruction, [&](RegisterId id) {
          if (is_spilled(id) && !is_predicate(id)) ++result_.spill_loads;
        });
        for_each_def(instruction, [&](RegisterId id) {
          if (is_spilled(id) && !is_predicate(id)) ++result_.spill_stores;
        });
      }
    }
  }

  const Function& function_;
  RegisterLimits limits_;
  ControlFlowGraph graph_;
  DominatorTree tree_;
  Liveness liveness_;
  LoopForest loops_;
  std::vector<bool> narrow_;
  std::vector<bool> excluded_;
  std::vector<RegisterId> order_;
  std::vector<std::vector<RegisterId>> neighbours_;
  std::vector<std::vector<RegisterId>> partners_;  // by register: the other sides of movs
  std::vector<double> cost_;  // reads and writes, ten times as much for each loop around them
  std::vector<bool> taken_;
  std::vector<bool> spilled_;
  RegisterId victim_ = kNoId;
  std::uint32_t values_ = 0;
  RegisterAllocation result_;
};

}  // namespace

RegisterLimits launch_bounds_limits(const Function& kernel, const RegisterFile& file) {
  RegisterLimits limits;
  if (kernel.max_threads[0] == 0) return limits;
  std::uint64_t threads = 1;
  for (const std::uint32_t count : kernel.max_threads) threads *= std::max(count, 1u);
  const std::uint64_t warps = (threads + file.warp_size - 1) / file.warp_size;
  constexpr std::uint64_t kFewest = 16;  // with fewer, a promise of so many blocks is not kept
  for (const std::uint64_t blocks :
       {std::max<std::uint64_t>(kernel.min_blocks, 1), std::uint64_t{1}}) {
    const std::uint64_t of_warp = file.registers / (warps * blocks) / file.unit * file.unit;
    const std::uint64_t of_thread = of_warp / file.warp_size;
    if (of_thread < kFewest) continue;
    limits.registers = std::min(limits.registers, static_cast<std::uint32_t>(of_thread));
    break;
  }
  return limits;
}

RegisterAllocation allocate_registers(const Function& function, const RegisterLimits& limits) {
  Allocator allocator(function, limits);
  RegisterAllocation allocation = allocator.run();
  if (!limits.as_compiled || allocator.values() == 0) return allocation;
  constexpr std::uint32_t kStackPointer = 1;
  const Function scheduled = schedule_for_latency(function);
  const std::uint32_t live = Allocator(scheduled, limits).run().registers_per_thread;
  const std::uint32_t given =
      std::max(live, std::min(allocator.values(), limits.unshared_registers)) + kStackPointer;
  // Where they do not suffice, loads are put less early before anything is spilled.
  std::uint32_t most = std::max(limits.scheduled_registers, allocation.registers_per_thread);
  most = std::min(most, limits.registers);
  if (function.max_registers != 0) most = std::min(most, function.max_registers);
  allocation.registers_per_thread = std::min(given, most);
  return allocation;
}

}  // namespace raddle::kernel
