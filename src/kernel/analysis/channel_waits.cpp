#include "kernel/analysis/channel_waits.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>

namespace raddle::kernel {
namespace {

using Vector = std::array<std::int64_t, 3>;

// Beyond these a kernel is left to the deadlock report of its run.
constexpr std::size_t kMaxCircles = 2000;
constexpr std::uint32_t kMaxSteps = 200'000;
constexpr std::size_t kMaxDirections = 24;

struct Placed {
  const Instruction* instruction = nullptr;
  BlockId block = 0;
  std::uint32_t turn = 0;  // how many of the same place come before it
};

class WaitFinder {
 public:
  WaitFinder(const Module& module, const Function& function, const ControlFlowGraph& graph,
             const LoopForest& loops)
      : module_(module), reach_(forward_reach(graph, loops)) {
    for (const BlockId block : graph.reverse_post_order()) {
      for (const Instruction& instruction : function.blocks[block].instructions) {
        if (group_of(instruction.opcode) == OpcodeGroup::kInterThread)
          operations_.push_back({&instruction, block});
      }
    }
    for (std::size_t i = 0; i < operations_.size(); ++i) operations_[i].turn = turn_of(i);
  }

  std::vector<ChannelWait> run() {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Instruction& receive = *operations_[i].instruction;
      if (receive.opcode == Opcode::kItTag) continue;
      const InterThread& operation = receive.inter_thread;
      const bool loads = receive.opcode == Opcode::kItReceiveLoad;
      if (loads) add({operation.channel, operation.channel, operation.delta, &receive});
      // After a fromThreadOrMem stands a value that its own thread has.
      const std::array<std::int32_t, 3> delta =
          loads ? std::array<std::int32_t, 3>{} : operation.delta;
      for (std::size_t j = 0; j < operations_.size(); ++j) {
        const Instruction& later = *operations_[j].instruction;
        if (later.opcode != Opcode::kItReceiveConst && comes_before(i, j) &&
            operations_[i].turn >= operations_[j].turn)
          add({later.inter_thread.channel, operation.channel, delta, &receive});
      }
    }
    return std::move(waits_);
  }

 private:
  // Operations of a block stand in the list in its order.
  bool comes_before(std::size_t i, std::size_t j) const {
    const BlockId from = operations_[i].block;
    const BlockId to = operations_[j].block;
    return from == to ? i < j : reach_[from][to];
  }

  std::uint32_t turn_of(std::size_t i) const {
    std::uint32_t turn = 0;
    for (std::size_t j = 0; j < operations_.size(); ++j) {
      const Instruction& here = *operations_[i].instruction;
      const Instruction& other = *operations_[j].instruction;
      if (comes_before(j, i) && here.opcode == other.opcode &&
          here.inter_thread.delta == other.inter_thread.delta && same_place(module_, here, other))
        ++turn;
    }
    return turn;
  }

  void add(const ChannelWait& wait) {
    if (known_.emplace(wait.channel, wait.needs, wait.delta).second) waits_.push_back(wait);
  }

  const Module& module_;
  std::vector<std::vector<bool>> reach_;
  std::vector<Placed> operations_;
  std::vector<ChannelWait> waits_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::array<std::int32_t, 3>>> known_;
};

// By channel: a number that it shares with those channels that it needs and that need it, directly
// or by way of others.
std::map<std::uint32_t, std::uint32_t> components_of(const std::vector<ChannelWait>& waits) {
  std::map<std::uint32_t, std::set<std::uint32_t>> needs;
  for (const ChannelWait& wait : waits) needs[wait.channel].insert(wait.needs);
  std::map<std::uint32_t, std::set<std::uint32_t>> reach;
  for (const auto& [channel, direct] : needs) {
    std::vector<std::uint32_t> work(direct.begin(), direct.end());
    while (!work.empty()) {
      const std::uint32_t next = work.back();
      work.pop_back();
      if (!reach[channel].insert(next).second) continue;
      if (const auto more = needs.find(next); more != needs.end())
        work.insert(work.end(), more->second.begin(), more->second.end());
    }
  }
  std::map<std::uint32_t, std::uint32_t> component;
  for (const auto& [channel, reached] : reach) {
    component.emplace(channel, channel);
    for (const std::uint32_t other : reached) {
      const auto back = reach.find(other);
      if (back != reach.end() && back->second.contains(channel))
        component.emplace(other, component[channel]);
    }
  }
  return component;
}

// Circles of waits, each passing a channel at most once.
class CircleFinder {
 public:
  explicit CircleFinder(const std::vector<ChannelWait>& waits) : component_(components_of(waits)) {
    for (const ChannelWait& wait : waits) {
      const auto from = component_.find(wait.channel);
      const auto to = component_.find(wait.needs);
      if (to != component_.end() && from->second == to->second)
        from_[wait.channel].push_back(&wait);
    }
  }

  struct Circle {
    std::vector<const ChannelWait*> waits;
    Vector sum{};
    std::uint32_t component = 0;
  };

  // Each once, from its lowest channel on; those of one channel alone come first.
  std::vector<Circle> run() {
    for (const auto& [channel, waits] : from_) {
      for (const ChannelWait* wait : waits) {
        if (wait->needs == channel) close({wait});
      }
    }
    for (const auto& [channel, waits] : from_) {
      start_ = channel;
      extend(channel);
    }
    return std::move(circles_);
  }

 private:
  void extend(std::uint32_t channel) {
    for (const ChannelWait* wait : from_[channel]) {
      if (circles_.size() >= kMaxCircles || ++steps_ > kMaxSteps) return;
      if (wait->needs < start_ || wait->needs == channel || on_path_.contains(wait->needs))
        continue;
      path_.push_back(wait);
      if (wait->needs == start_) {
        close(path_);
      } else {
        on_path_.insert(wait->needs);
        extend(wait->needs);
        on_path_.erase(wait->needs);
      }
      path_.pop_back();
    }
  }

  void close(const std::vector<const ChannelWait*>& waits) {
    Circle circle{waits, {}, component_.at(waits.front()->channel)};
    for (const ChannelWait* wait : waits) {
      for (std::size_t i = 0; i < 3; ++i) circle.sum[i] += wait->delta[i];
    }
    circles_.push_back(std::move(circle));
  }

  std::map<std::uint32_t, std::uint32_t> component_;
  std::map<std::uint32_t, std::vector<const ChannelWait*>> from_;
  std::uint32_t start_ = 0;
  std::uint32_t steps_ = 0;
  std::vector<const ChannelWait*> path_;
  std::set<std::uint32_t> on_path_;
  std::vector<Circle> circles_;
};

Vector direction_of(Vector vector) {
  const std::int64_t divisor = std::gcd(std::gcd(vector[0], vector[1]), vector[2]);
  for (std::int64_t& part : vector) part /= std::max<std::int64_t>(divisor, 1);
  return vector;
}

std::vector<const Instruction*> receives_of(const std::vector<CircleFinder::Circle>& circles) {
  std::vector<const Instruction*> receives;
  for (const auto& circle : circles) {
    for (const ChannelWait* wait : circle.waits) {
      if (std::find(receives.begin(), receives.end(), wait->receive) == receives.end())
        receives.push_back(wait->receive);
    }
  }
  return receives;
}

}  // namespace

std::vector<std::vector<bool>> forward_reach(const ControlFlowGraph& graph,
                                             const LoopForest& loops) {
  std::vector<std::vector<bool>> reach(graph.size(), std::vector<bool>(graph.size()));
  for (const BlockId block : std::views::reverse(graph.reverse_post_order())) {
    for (const BlockId next : graph.successors(block)) {
      if (graph.rank(next) <= graph.rank(block) || loops.is_back_edge(block, next)) continue;
      reach[block][next] = true;
      for (BlockId far = 0; far < graph.size(); ++far) {
        if (reach[next][far]) reach[block][far] = true;
      }
    }
  }
  return reach;
}

// By Gordan's theorem they cannot if some w has w·v >= 1 for every v; found out by eliminating one
// part of w after the other (Fourier and Motzkin).
bool can_cancel(const std::vector<Vector>& vectors) {
  std::set<Vector> constraints;
  for (const Vector& vector : vectors) {
    const Vector direction = direction_of(vector);
    if (direction == Vector{}) return true;
    constraints.insert(direction);
  }
  for (std::size_t part = 0; part < 3; ++part) {
    std::set<Vector> next;
    for (const Vector& a : constraints) {
      if (a[part] == 0) next.insert(a);
      if (a[part] <= 0) continue;
      for (const Vector& b : constraints) {
        if (b[part] >= 0) continue;
        Vector sum{};
        for (std::size_t i = 0; i < 3; ++i) sum[i] = -b[part] * a[i] + a[part] * b[i];
        if (sum == Vector{}) return true;
        next.insert(direction_of(sum));
      }
    }
    constraints = std::move(next);
  }
  return false;
}

bool same_place(const Module& module, const Instruction& a, const Instruction& b) {
  const SourceLocation& at = module.locations[a.location];
  const SourceLocation& other = module.locations[b.location];
  return a.location != 0 && b.location != 0 && at.file == other.file && at.line == other.line &&
         at.column == other.column;
}

std::vector<ChannelWait> channel_waits(const Module& module, const Function& function,
                                       const ControlFlowGraph& graph, const LoopForest& loops) {
  return WaitFinder(module, function, graph, loops).run();
}

std::vector<const Instruction*> unserved_circle(const std::vector<ChannelWait>& waits) {
  const std::vector<CircleFinder::Circle> circles = CircleFinder(waits).run();
  for (const auto& circle : circles) {
    if (circle.sum == Vector{}) return receives_of({circle});
  }
  std::map<std::uint32_t, std::vector<CircleFinder::Circle>> by_component;
  for (const auto& circle : circles) by_component[circle.component].push_back(circle);
  for (const auto& [component, members] : by_component) {
    std::set<Vector> sums;
    for (const auto& circle : members) sums.insert(direction_of(circle.sum));
    if (sums.size() <= kMaxDirections && can_cancel({sums.begin(), sums.end()}))
      return receives_of(members);
  }
  return {};
}

}  // namespace raddle::kernel
