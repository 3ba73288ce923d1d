#include "kernel/exec/block_order.h"

#include <algorithm>

namespace raddle::kernel::exec {
namespace {

// Strongly connected components, innermost work first: each component with a cycle loses the edges
// back to its first block and is ordered again, so that loops stay together at every depth.
class Orderer {
 public:
  explicit Orderer(const Function& function) {
    for (BlockId b = 0; b < function.blocks.size(); ++b)
      successors_.push_back(successors(function, b));
    component_.assign(successors_.size(), 0);
  }

  std::vector<BlockId> run() {
    std::vector<BlockId> all(successors_.size());
    for (BlockId b = 0; b < all.size(); ++b) all[b] = b;
    order_region(all, 0);
    return order_;
  }

 private:
  // Orders `blocks`, entered at `entry`; edges that leave the set or lead back to the entry are
  // ignored.
  void order_region(const std::vector<BlockId>& blocks, BlockId entry) {
    const std::uint32_t region = ++regions_;
    for (BlockId b : blocks) component_[b] = region;
    std::vector<std::vector<BlockId>> components = tarjan(entry, region);
    for (auto component = components.rbegin(); component != components.rend(); ++component) {
      if (component->size() == 1) {
        order_.push_back(component->front());
        continue;
      }
      // The block through which the region enters the component: the one reached first.
      order_region(*component, component->back());
    }
  }

  struct Visit {
    BlockId block;
    std::size_t next = 0;
  };

  // Components of the region in reverse topological order, each with its first-reached block last.
  std::vector<std::vector<BlockId>> tarjan(BlockId entry, std::uint32_t region) {
    std::vector<std::uint32_t> index(successors_.size(), 0);
    std::vector<std::uint32_t> low(successors_.size(), 0);
    std::vector<bool> on_stack(successors_.size(), false);
    std::vector<BlockId> stack;
    std::vector<std::vector<BlockId>> components;
    std::uint32_t counter = 0;
    std::vector<Visit> visits{{entry}};
    auto open = [&](BlockId b) {
      index[b] = low[b] = ++counter;
      stack.push_back(b);
      on_stack[b] = true;
    };
    open(entry);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const BlockId b = visit.block;
      if (visit.next < successors_[b].size()) {
        const BlockId s = successors_[b][visit.next++];
        if (component_[s] != region || s == entry) continue;
        if (index[s] == 0) {
          open(s);
          visits.push_back({s});
        } else if (on_stack[s]) {
          low[b] = std::min(low[b], index[s]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().block] = std::min(low[visits.back().block], low[b]);
      if (low[b] != index[b]) continue;
      std::vector<BlockId> component;
      for (BlockId member = kNoId; member != b;) {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = false;
        component.push_back(member);
      }
      components.push_back(std::move(component));
    }
    return components;
  }

  std::vector<std::vector<BlockId>> successors_;
  std::vector<std::uint32_t> component_;  // the region a block belongs to at the moment
  std::uint32_t regions_ = 0;
  std::vector<BlockId> order_;
};

}  // namespace

std::vector<std::uint32_t> block_ranks(const Function& function) {
  std::vector<std::uint32_t> ranks(function.blocks.size(), kNoId);
  std::uint32_t next = 0;
  for (BlockId b : Orderer(function).run()) {
    if (ranks[b] == kNoId) ranks[b] = next++;
  }
  for (std::uint32_t& rank : ranks) {
    if (rank == kNoId) rank = next++;
  }
  return ranks;
}

}  // namespace raddle::kernel::exec
