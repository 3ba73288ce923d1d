#include "kernel/analysis/dominators.h"

#include <algorithm>
#include <utility>

namespace raddle::kernel {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

// A. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm": parents of all nodes that
// the root reaches, kNoId for others and for the root.
class DominanceSolver {
 public:
  DominanceSolver(const Edges& forward, const Edges& backward, std::uint32_t root)
      : forward_(forward),
        backward_(backward),
        root_(root),
        parent_(forward.size(), kNoId),
        rank_(forward.size(), kNoId) {}

  std::vector<std::uint32_t> solve() {
    number_nodes();
    parent_[root_] = root_;
    bool changed = true;
    while (changed) {
      changed = false;
      for (const std::uint32_t node : order_) {
        if (node == root_) continue;
        const std::uint32_t parent = common_parent(node);
        if (parent != parent_[node]) {
          parent_[node] = parent;
          changed = true;
        }
      }
    }
    parent_[root_] = kNoId;
    return std::move(parent_);
  }

 private:
  void number_nodes() {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root_, 0}};
    std::vector<bool> seen(forward_.size());
    seen[root_] = true;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == forward_[node].size()) {
        order_.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t target = forward_[node][next++];
      if (seen[target]) continue;
      seen[target] = true;
      stack.emplace_back(target, 0);
    }
    std::reverse(order_.begin(), order_.end());
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }

  std::uint32_t common_parent(std::uint32_t node) const {
    std::uint32_t common = kNoId;
    for (const std::uint32_t before : backward_[node]) {
      if (rank_[before] == kNoId || parent_[before] == kNoId) continue;
      common = common == kNoId ? before : intersect(common, before);
    }
    return common;
  }

  std::uint32_t intersect(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (rank_[a] > rank_[b]) a = parent_[a];
      while (rank_[b] > rank_[a]) b = parent_[b];
    }
    return a;
  }

  const Edges& forward_;
  const Edges& backward_;
  std::uint32_t root_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> rank_;
};

// The graph turned round, with a virtual exit as node size().
class ReversedGraph {
 public:
  explicit ReversedGraph(const ControlFlowGraph& graph)
      : graph_(graph),
        forward_(graph.size() + 1),
        backward_(graph.size() + 1),
        reached_(graph.size()) {
    for (const BlockId block : graph.reverse_post_order()) {
      for (const BlockId successor : graph.successors(block)) {
        forward_[successor].push_back(block);
        backward_[block].push_back(successor);
      }
    }
  }

  std::uint32_t exit() const { return static_cast<std::uint32_t>(graph_.size()); }
  bool reached(BlockId block) const { return reached_[block]; }

  // Control may leave at this block. Marks every block from which it can be reached.
  void add_exit(BlockId block) {
    forward_[exit()].push_back(block);
    backward_[block].push_back(exit());
    mark(block, reached_);
  }

  std::size_t blocks_that_reach(BlockId block) const {
    std::vector<bool> marks = reached_;
    return mark(block, marks);
  }

  // The block furthest from the entry that has no way out yet, kNoId if all have one.
  BlockId last_without_exit() const {
    const auto& order = graph_.reverse_post_order();
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      if (!reached_[*block]) return *block;
    }
    return kNoId;
  }

  // Immediate post-dominators; the virtual exit appears as kNoId.
  std::vector<BlockId> solve() const {
    std::vector<BlockId> parents = DominanceSolver(forward_, backward_, exit()).solve();
    parents.pop_back();
    for (BlockId& parent : parents) {
      if (parent == exit()) parent = kNoId;
    }
    return parents;
  }

 private:
  std::size_t mark(BlockId start, std::vector<bool>& marks) const {
    if (marks[start]) return 0;
    std::vector<BlockId> work{start};
    marks[start] = true;
    std::size_t count = 1;
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      for (const BlockId before : forward_[block]) {
        if (marks[before]) continue;
        marks[before] = true;
        ++count;
        work.push_back(before);
      }
    }
    return count;
  }

  const ControlFlowGraph& graph_;
  Edges forward_;
  Edges backward_;
  std::vector<bool> reached_;
};

// Among the exits of one kind that lie in blocks without a way out so far, the one that most of
// these blocks lead to.
BlockId widest_exit(const ControlFlowGraph& graph, const ReversedGraph& reversed, BlockExit kind) {
  BlockId best = kNoId;
  std::size_t most = 0;
  for (const BlockId block : graph.reverse_post_order()) {
    if (reversed.reached(block) || graph.exit(block) != kind) continue;
    const std::size_t count = reversed.blocks_that_reach(block);
    if (count >= most) {
      best = block;
      most = count;
    }
  }
  return best;
}

}  // namespace

DominatorTree::DominatorTree(const ControlFlowGraph& graph) {
  std::vector<bool> members(graph.size());
  Edges forward(graph.size());
  Edges backward(graph.size());
  for (BlockId block = 0; block < graph.size(); ++block) {
    members[block] = graph.reachable(block);
    forward[block] = graph.successors(block);
    backward[block] = graph.predecessors(block);
  }
  if (graph.size() == 0) return;
  set_parents(DominanceSolver(forward, backward, 0).solve(), members);
}

void DominatorTree::set_parents(std::vector<BlockId> parents, const std::vector<bool>& members) {
  parent_ = std::move(parents);
  children_.resize(parent_.size());
  enter_.assign(parent_.size(), kNoId);
  leave_.assign(parent_.size(), kNoId);
  std::vector<std::pair<BlockId, std::size_t>> stack;
  std::vector<BlockId> roots;
  for (BlockId block = 0; block < parent_.size(); ++block) {
    if (!members[block]) continue;
    if (parent_[block] == kNoId) {
      roots.push_back(block);
    } else {
      children_[parent_[block]].push_back(block);
    }
  }
  std::uint32_t time = 0;
  for (const BlockId root : roots) {
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == 0) {
        enter_[block] = time++;
        pre_order_.push_back(block);
      }
      if (next == children_[block].size()) {
        leave_[block] = time++;
        stack.pop_back();
        continue;
      }
      const BlockId child = children_[block][next++];
      stack.emplace_back(child, 0);
    }
  }
}

PostDominatorTree::PostDominatorTree(const ControlFlowGraph& graph) {
  ReversedGraph reversed(graph);
  std::vector<bool> members(graph.size());
  for (const BlockId block : graph.reverse_post_order()) {
    members[block] = true;
    if (graph.exit(block) != BlockExit::kNone) reversed.add_exit(block);
  }
  for (BlockId last = reversed.last_without_exit(); last != kNoId;
       last = reversed.last_without_exit()) {
    reversed.add_exit(last);
  }
  set_parents(reversed.solve(), members);
}

std::vector<std::vector<BlockId>> dominance_frontiers(const ControlFlowGraph& graph,
                                                      const DominatorTree& tree) {
  std::vector<std::vector<BlockId>> frontiers(graph.size());
  for (const BlockId block : graph.reverse_post_order()) {
    // The entry counts as joined with the way in from outside.
    const bool joins = graph.predecessors(block).size() + (block == 0 ? 1 : 0) >= 2;
    if (!joins) continue;
    for (BlockId runner : graph.predecessors(block)) {
      while (tree.contains(runner) && runner != tree.parent(block)) {
        auto& frontier = frontiers[runner];
        if (std::find(frontier.begin(), frontier.end(), block) == frontier.end())
          frontier.push_back(block);
        if (tree.parent(runner) == kNoId) break;
        runner = tree.parent(runner);
      }
    }
  }
  return frontiers;
}

std::vector<BlockId> reconvergence_points(const ControlFlowGraph& graph) {
  std::vector<BlockId> result(graph.size(), kNoId);
  std::vector<bool> done(graph.size());
  ReversedGraph all(graph);
  // One exit after the other, each with the blocks that lead to it and to none before.
  while (true) {
    BlockId exit = widest_exit(graph, all, BlockExit::kAlways);
    if (exit == kNoId) exit = widest_exit(graph, all, BlockExit::kGuarded);
    if (exit == kNoId) exit = all.last_without_exit();
    if (exit == kNoId) return result;
    const bool lonely = all.blocks_that_reach(exit) == 1;  // many a failed assertion
    all.add_exit(exit);
    if (lonely) {
      done[exit] = true;
      continue;
    }
    ReversedGraph alone(graph);
    alone.add_exit(exit);
    const std::vector<BlockId> parents = alone.solve();
    for (const BlockId block : graph.reverse_post_order()) {
      if (done[block] || !alone.reached(block)) continue;
      done[block] = true;
      result[block] = parents[block];
    }
  }
}

}  // namespace raddle::kernel
