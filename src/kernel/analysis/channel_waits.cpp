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
constexpr std::size_t kMostCircles = 2000;
constexpr std::size_t kMostDirections = 24;

struct Placed {
  const Instruction* instruction = nullptr;
  BlockId block = 0;
};

class WaitFinder {
 public:
  WaitFinder(const Function& function, const ControlFlowGraph& graph, const LoopForest& loops)
      : reach_(forward_reach(graph, loops)) {
    for (const BlockId block : graph.reverse_post_order()) {
      for (const Instruction& instruction : function.blocks[block].instructions) {
        if (group_of(instruction.opcode) == OpcodeGroup::kInterThread)
          operations_.push_back({&instruction, block});
      }
    }
  }

  std::vector<ChannelWait> run() {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Instruction& receive = *operations_[i].instruction;
      if (receive.opcode == Opcode::kItTag) continue;
      const InterThread& operation = receive.inter_thread;
      const bool loads = receive.opcode == Opcode::kItReceiveLoad;
      if (loads) add({operation.channel, operation.channel, operation.delta, &receive});
      // Behind a fromThreadOrMem stands a value that its own thread has.
      const std::array<std::int32_t, 3> delta =
          loads ? std::array<std::int32_t, 3>{} : operation.delta;
      for (std::size_t j = 0; j < operations_.size(); ++j) {
        const Instruction& later = *operations_[j].instruction;
        if (later.opcode != Opcode::kItReceiveConst && comes_before(i, j))
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

  void add(const ChannelWait& wait) {
    if (known_.emplace(wait.channel, wait.needs, wait.delta).second) waits_.push_back(wait);
  }

  std::vector<std::vector<bool>> reach_;
  std::vector<Placed> operations_;
  std::vector<ChannelWait> waits_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::array<std::int32_t, 3>>> known_;
};

// Circles of waits, each passing a channel at most once.
class CircleFinder {
 public:
  explicit CircleFinder(const std::vector<ChannelWait>& waits) {
    for (const ChannelWait& wait : waits) from_[wait.channel].push_back(&wait);
  }

  struct Circle {
    std::vector<const ChannelWait*> waits;
    Vector sum{};
  };

  // Circles whose lowest channel is `start`.
  const std::vector<Circle>& run() {
    for (const auto& [channel, waits] : from_) {
      start_ = channel;
      extend(channel);
    }
    return circles_;
  }

 private:
  void extend(std::uint32_t channel) {
    const auto found = from_.find(channel);
    if (found == from_.end()) return;
    for (const ChannelWait* wait : found->second) {
      if (circles_.size() >= kMostCircles) return;
      if (wait->needs < start_ || on_path_.contains(wait->needs)) continue;
      path_.push_back(wait);
      if (wait->needs == start_) {
        close();
      } else {
        on_path_.insert(wait->needs);
        extend(wait->needs);
        on_path_.erase(wait->needs);
      }
      path_.pop_back();
    }
  }

  void close() {
    Circle circle{path_, {}};
    for (const ChannelWait* wait : path_) {
      for (std::size_t i = 0; i < 3; ++i) circle.sum[i] += wait->delta[i];
    }
    circles_.push_back(std::move(circle));
  }

  std::map<std::uint32_t, std::vector<const ChannelWait*>> from_;
  std::uint32_t start_ = 0;
  std::vector<const ChannelWait*> path_;
  std::set<std::uint32_t> on_path_;
  std::vector<Circle> circles_;
};

// Channels of which each can be reached from each other share a number.
std::map<std::uint32_t, std::uint32_t> groups_of(const std::vector<CircleFinder::Circle>& circles) {
  std::map<std::uint32_t, std::uint32_t> group;
  for (const auto& circle : circles) {
    for (const ChannelWait* wait : circle.waits) group.emplace(wait->channel, wait->channel);
  }
  for (const auto& circle : circles) {
    for (const ChannelWait* wait : circle.waits) {
      const std::uint32_t from = group[wait->channel];
      const std::uint32_t to = group[circle.waits.front()->channel];
      for (auto& [channel, number] : group) {
        if (number == from) number = to;
      }
    }
  }
  return group;
}

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

std::vector<ChannelWait> channel_waits(const Function& function, const ControlFlowGraph& graph,
                                       const LoopForest& loops) {
  return WaitFinder(function, graph, loops).run();
}

std::vector<const Instruction*> unserved_circle(const std::vector<ChannelWait>& waits) {
  CircleFinder finder(waits);
  const std::vector<CircleFinder::Circle>& circles = finder.run();
  for (const auto& circle : circles) {
    if (circle.sum == Vector{}) return receives_of({circle});
  }
  const std::map<std::uint32_t, std::uint32_t> groups = groups_of(circles);
  std::map<std::uint32_t, std::vector<CircleFinder::Circle>> by_group;
  for (const auto& circle : circles)
    by_group[groups.at(circle.waits.front()->channel)].push_back(circle);
  for (const auto& [group, members] : by_group) {
    std::set<Vector> sums;
    for (const auto& circle : members) sums.insert(direction_of(circle.sum));
    if (sums.size() <= kMostDirections && can_cancel({sums.begin(), sums.end()}))
      return receives_of(members);
  }
  return {};
}

}  // namespace raddle::kernel
