#include "kernel/analysis/channel_instances.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kernel/analysis/dominators.h"
#include "kernel/analysis/loops.h"

namespace raddle::kernel {
namespace {

// An instruction with its place in the function.
struct Placed {
  Instruction* instruction = nullptr;
  BlockId block = 0;
  std::size_t index = 0;
};

// The instructions that one call in the source became.
using Site = std::vector<Placed>;

// Tags and receives of one channel by the place that they come from.
struct ChannelUse {
  std::map<std::uint32_t, Site> tags;
  std::map<std::tuple<std::uint32_t, std::array<std::int32_t, 3>, std::uint32_t>, Site> receives;
  bool located = true;  // every instruction's place is known
};

class Separation {
 public:
  explicit Separation(Function& function)
      : function_(function),
        graph_(function),
        dominators_(graph_),
        loops_(graph_, dominators_),
        uses_(function.channels.size()) {}

  void run() {
    collect();
    for (std::uint32_t channel = 0; channel < uses_.size(); ++channel) {
      if (separable(uses_[channel])) separate(channel);
    }
  }

 private:
  void collect() {
    for (const BlockId block : graph_.reverse_post_order()) {
      auto& instructions = function_.blocks[block].instructions;
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        const InterThread& operation = instructions[i].inter_thread;
        const bool tags = instructions[i].opcode == Opcode::kItTag;
        if ((!tags && instructions[i].opcode != Opcode::kItReceiveConst) ||
            operation.channel >= uses_.size())
          continue;
        ChannelUse& use = uses_[operation.channel];
        const std::uint32_t location = instructions[i].location;
        use.located &= location != 0;
        Site& site =
            tags ? use.tags[location] : use.receives[{location, operation.delta, operation.window}];
        site.push_back({&instructions[i], block, i});
      }
    }
  }

  bool separable(const ChannelUse& use) const {
    if (!use.located || use.tags.size() != 1) return false;
    const Site& tags = use.tags.begin()->second;
    if (tags.size() < 2 || !in_straight_order(tags, tags.front().block)) return false;
    return std::all_of(use.receives.begin(), use.receives.end(), [&](const auto& entry) {
      return entry.second.size() == tags.size() &&
             in_straight_order(entry.second, tags.front().block);
    });
  }

  // Each is passed before the next one, and all as often as each other: in the loop of `block`.
  bool in_straight_order(const Site& site, BlockId block) const {
    for (std::size_t i = 0; i < site.size(); ++i) {
      if (loops_.innermost(site[i].block) != loops_.innermost(block)) return false;
      if (i == 0) continue;
      const Placed& before = site[i - 1];
      const bool follows = before.block == site[i].block
                               ? before.index < site[i].index
                               : dominators_.dominates(before.block, site[i].block);
      if (!follows) return false;
    }
    return true;
  }

  void separate(std::uint32_t channel) {
    const ChannelUse& use = uses_[channel];
    for (std::size_t n = 1; n < use.tags.begin()->second.size(); ++n) {
      const auto instance = static_cast<std::uint32_t>(function_.channels.size());
      const std::string name = function_.channels[channel];
      function_.channels.push_back(name);
      use.tags.begin()->second[n].instruction->inter_thread.channel = instance;
      for (const auto& [key, site] : use.receives)
        site[n].instruction->inter_thread.channel = instance;
    }
  }

  Function& function_;
  ControlFlowGraph graph_;
  DominatorTree dominators_;
  LoopForest loops_;
  std::vector<ChannelUse> uses_;
};

}  // namespace

void separate_channel_instances(Function& function) {
  if (!function.channels.empty()) Separation(function).run();
  auto next = static_cast<std::uint32_t>(function.channels.size());
  for (Block& block : function.blocks) {
    for (Instruction& instruction : block.instructions) {
      if (instruction.opcode == Opcode::kItReceiveLoad) instruction.inter_thread.channel = next++;
    }
  }
}

}  // namespace raddle::kernel
