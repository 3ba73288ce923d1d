#include "kernel/analysis/channel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/channel_waits.h"
#include "kernel/analysis/ssa.h"
#include "kernel/analysis/uniformity.h"

namespace raddle::kernel {
namespace {

bool is_inter_thread(const Instruction& instruction) {
  return group_of(instruction.opcode) == OpcodeGroup::kInterThread;
}

std::string_view type_text(Type type) {
  switch (type) {
    case Type::kF32: return "float";
    case Type::kF64: return "double";
    default: return size_of(type) == 8 ? "64-bit integers" : "32-bit integers";
  }
}

bool carries_alike(Type a, Type b) { return type_text(a) == type_text(b); }

std::string delta_text(const std::array<std::int32_t, 3>& delta) {
  if (delta[2] != 0) return fmt::format("{{{}, {}, {}}}", delta[0], delta[1], delta[2]);
  if (delta[1] != 0) return fmt::format("{{{}, {}}}", delta[0], delta[1]);
  return std::to_string(delta[0]);
}

class ChannelChecker {
 public:
  ChannelChecker(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        graph_(function),
        dominators_(graph_),
        loops_(graph_, dominators_) {}

  void run() {
    for (const BlockId block : graph_.reverse_post_order()) {
      for (const Instruction& instruction : function_.blocks[block].instructions) {
        if (!is_inter_thread(instruction)) continue;
        operations_.push_back({&instruction, block});
        if (instruction.opcode != Opcode::kItTag) check_distance(instruction);
      }
    }
    check_senders();
    check_tags();
    check_divergence();
    check_circles();
  }

 private:
  struct Placed {
    const Instruction* instruction = nullptr;
    BlockId block = 0;
  };

  [[noreturn]] void fail(const Instruction& instruction, const std::string& what,
                         std::string hint) const {
    throw Error(fmt::format("kernel {}: {}", demangled(function_.name), what),
                module_.describe_location(instruction.location), std::move(hint));
  }

  std::string place(const Instruction& instruction) const {
    const std::string text = module_.describe_location(instruction.location);
    return text.empty() ? "an unknown line" : text;
  }

  std::string name(const Instruction& instruction) const {
    if (instruction.opcode == Opcode::kItReceiveLoad) return "fromThreadOrMem";
    return channel_name(instruction.inter_thread.channel);
  }
  std::string channel_name(std::uint32_t channel) const {
    return channel < function_.channels.size()
               ? fmt::format("channel \"{}\"", function_.channels[channel])
               : fmt::format("channel {}", channel);
  }

  void check_distance(const Instruction& receive) const {
    const auto& [channel, delta, window] = receive.inter_thread;
    if (delta == std::array<std::int32_t, 3>{})
      fail(receive, "a thread cannot receive from itself: the distance is 0",
           "use the value itself");
    const bool one_dimensional = delta[1] == 0 && delta[2] == 0;
    if (window != 0 && one_dimensional && std::abs(std::int64_t{delta[0]}) >= window)
      fail(
          receive,
          fmt::format("a distance of {} reaches beyond the window of {} threads", delta[0], window),
          "a distance is shorter than its window");
  }

  void check_senders() const {
    std::map<std::uint32_t, const Instruction*> tags;
    for (const Placed& placed : operations_) {
      if (placed.instruction->opcode == Opcode::kItTag)
        tags.emplace(placed.instruction->inter_thread.channel, placed.instruction);
    }
    for (const Placed& placed : operations_) {
      const Instruction& operation = *placed.instruction;
      if (operation.opcode == Opcode::kItReceiveLoad) continue;
      const auto tag = tags.find(operation.inter_thread.channel);
      if (tag == tags.end())
        fail(operation,
             fmt::format("{} is received from but nothing is tagged on it", name(operation)),
             "pass a value with tagValue under the same name");
      if (carries_alike(tag->second->type, operation.type)) continue;
      const bool tags_too = operation.opcode == Opcode::kItTag;
      fail(operation,
           fmt::format("{} carries {} (tagged at {}) but {} {} here", name(operation),
                       type_text(tag->second->type), place(*tag->second), type_text(operation.type),
                       tags_too ? "are tagged" : "are received"),
           tags_too ? "all values of a channel are of one type"
                    : "give the constant the type that is tagged: 0.0f for float, 0.0 for double");
    }
  }

  void check_tags() const {
    const auto reach = forward_reach(graph_, loops_);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      for (std::size_t j = i + 1; j < operations_.size(); ++j) {
        const Instruction& first = *operations_[i].instruction;
        const Instruction& second = *operations_[j].instruction;
        if (first.opcode != Opcode::kItTag || second.opcode != Opcode::kItTag ||
            first.inter_thread.channel != second.inter_thread.channel ||
            same_place(module_, first, second))
          continue;
        const BlockId from = operations_[i].block;
        const BlockId to = operations_[j].block;
        if (from != to && !reach[from][to]) continue;
        fail(second,
             fmt::format("{} is tagged a second time on the same path, first at {}", name(second),
                         place(first)),
             "give the second value a channel of its own");
      }
    }
  }

  // In SSA form, in which each value has a register of its own: a counter is as uniform as it looks
  // even where its register held something else before.
  void check_divergence() const {
    const Function ssa = construct_ssa(function_).function;
    const ControlFlowGraph graph(ssa);
    const Liveness liveness(ssa, graph, GuardedWrite::kReplacesValue);
    const UniformityAnalysis uniformity(ssa, graph, liveness);
    const PostDominatorTree post_dominators(graph);
    for (const BlockId block : graph.reverse_post_order()) {
      for (const Instruction& operation : ssa.blocks[block].instructions) {
        if (!is_inter_thread(operation)) continue;
        if (operation.guard.present() &&
            uniformity.of_register(operation.guard.predicate) > Uniformity::kBlock)
          fail_divergent(operation, operation);
        for (const BlockId branch : deciders_of(block, graph, post_dominators)) {
          const Instruction& condition = ssa.blocks[branch].instructions.back();
          const Uniformity level = graph.exit(branch) == BlockExit::kGuarded
                                       ? uniformity.of_register(condition.guard.predicate)
                                       : uniformity.of_branch(branch);
          if (level > Uniformity::kBlock) fail_divergent(operation, condition);
        }
      }
    }
  }

  // The branches that decide whether and how often the block is passed: those it depends on, and
  // those that these depend on (control dependence).
  static std::vector<BlockId> deciders_of(BlockId block, const ControlFlowGraph& graph,
                                          const PostDominatorTree& post_dominators) {
    std::vector<BlockId> deciders;
    std::vector<BlockId> work{block};
    while (!work.empty()) {
      const BlockId dependent = work.back();
      work.pop_back();
      for (const BlockId branch : graph.reverse_post_order()) {
        const bool always = branch != dependent && post_dominators.dominates(dependent, branch);
        const auto& ways = graph.successors(branch);
        const bool sometimes = std::any_of(ways.begin(), ways.end(), [&](BlockId way) {
          return post_dominators.dominates(dependent, way);
        });
        if (always || !sometimes ||
            std::find(deciders.begin(), deciders.end(), branch) != deciders.end())
          continue;
        deciders.push_back(branch);
        work.push_back(branch);
      }
    }
    return deciders;
  }

  [[noreturn]] void fail_divergent(const Instruction& operation,
                                   const Instruction& condition) const {
    const std::string_view verb = operation.opcode == Opcode::kItTag ? "tagged" : "received";
    fail(operation,
         fmt::format("{} is {} where threads of the block may have diverged: the condition at {} "
                     "may differ between them",
                     name(operation), verb, place(condition)),
         "move the call out of the condition, loop or early return, so that every thread of the "
         "block executes it; values loaded from memory count as different, arguments of the kernel "
         "as the same");
  }

  void check_circles() const {
    const std::vector<const Instruction*> found =
        unserved_circle(channel_waits(module_, function_, graph_, loops_));
    if (found.empty()) return;
    std::vector<const Instruction*> circle;  // in the order of the code
    for (const Placed& placed : operations_) {
      if (std::find(found.begin(), found.end(), placed.instruction) != found.end())
        circle.push_back(placed.instruction);
    }
    constexpr std::size_t kNamed = 4;
    std::string list;
    for (std::size_t i = 0; i < circle.size() && i < kNamed; ++i) {
      list += fmt::format("{}{} at {} from {}", i == 0 ? "" : ", ", name(*circle[i]),
                          delta_text(circle[i]->inter_thread.delta), place(*circle[i]));
    }
    if (circle.size() > kNamed) list += fmt::format(" and {} more", circle.size() - kNamed);
    fail(*circle.front(), "threads wait for each other in a cycle: " + list,
         "tag a value before receiving what does not belong to it; what a tag waits for must lie "
         "on one side");
  }

  const Module& module_;
  const Function& function_;
  ControlFlowGraph graph_;
  DominatorTree dominators_;
  LoopForest loops_;
  std::vector<Placed> operations_;  // in the order of their blocks
};

}  // namespace

bool uses_channels(const Function& function) {
  for (const Block& block : function.blocks) {
    if (std::any_of(block.instructions.begin(), block.instructions.end(), is_inter_thread))
      return true;
  }
  return false;
}

void check_channels(const Module& module, const Function& function) {
  if (uses_channels(function)) ChannelChecker(module, function).run();
}

void check_windows(const Module& module, const Function& function, std::uint64_t threads) {
  for (const Block& block : function.blocks) {
    for (const Instruction& instruction : block.instructions) {
      const std::uint32_t window = instruction.inter_thread.window;
      if (window == 0 || threads % window == 0) continue;
      throw Error(fmt::format("kernel {}: a window of {} threads does not divide the block of {}",
                              demangled(function.name), window, threads),
                  module.describe_location(instruction.location),
                  "launch the kernel with blocks of a multiple of the window, or choose another "
                  "window");
    }
  }
}

}  // namespace raddle::kernel
