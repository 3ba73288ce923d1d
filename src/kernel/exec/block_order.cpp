#include "kernel/exec/block_order.h"

#include <algorithm>
#include <utility>

#include "base/stop_token.h"

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
    index_.resize(successors_.size());
    low_.resize(successors_.size());
    on_stack_.resize(successors_.size());
  }

  // Throws Stopped. The regions that wait are on a stack of their own: loops may be nested as
  // deeply as there are blocks.
  std::vector<BlockId> run() {
    std::vector<BlockId> all(successors_.size());
    for (BlockId b = 0; b < all.size(); ++b) all[b] = b;
    std::vector<Region> waiting{{std::move(all), 0}};
    while (!waiting.empty()) {
      throw_if_stopped("ordering blocks");
      const Region region = std::move(waiting.back());
      waiting.pop_back();
      if (region.blocks.size() == 1) {
        order_.push_back(region.entry);
        continue;
      }
      for (std::vector<BlockId>& component : components_of(region)) {
        // The block through which the region enters the component: the one reached first.
        const BlockId entry = component.back();
        waiting.push_back({std::move(component), entry});
      }
    }
    return order_;
  }

 private:
  // Blocks that are entered at one of them; edges that leave the set or lead back to the entry are
  // ignored.
  struct Region {
    std::vector<BlockId> blocks;
    BlockId entry = 0;
  };
  struct Visit {
    BlockId block;
    std::size_t next = 0;
  };

  // Tarjan's algorithm: components in reverse topological order, each with its first-reached block
  // last.
  std::vector<std::vector<BlockId>> components_of(const Region& of) {
    const std::uint32_t region = ++regions_;
    const BlockId entry = of.entry;
    for (const BlockId b : of.blocks) {
      component_[b] = region;
      index_[b] = 0;
    }
    std::vector<BlockId> stack;
    std::vector<std::vector<BlockId>> components;
    std::uint32_t counter = 0;
    std::vector<Visit> visits{{entry}};
    auto open = [&](BlockId b) {
      index_[b] = low_[b] = ++counter;
      stack.push_back(b);
      on_stack_[b] = true;
    };
    open(entry);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const BlockId b = visit.block;
      if (visit.next < successors_[b].size()) {
        const BlockId s = successors_[b][visit.next++];
        if (component_[s] != region || s == entry) continue;
        if (index_[s] == 0) {
          open(s);
          visits.push_back({s});
        } else if (on_stack_[s]) {
          low_[b] = std::min(low_[b], index_[s]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low_[visits.back().block] = std::min(low_[visits.back().block], low_[b]);
      if (low_[b] != index_[b]) continue;
      std::vector<BlockId> component;
      for (BlockId member = kNoId; member != b;) {
        member = stack.back();
        stack.pop_back();
        on_stack_[member] = false;
        component.push_back(member);
      }
      components.push_back(std::move(component));
    }
    return components;
  }

  std::vector<std::vector<BlockId>> successors_;
  std::vector<std::uint32_t> component_;  // the region a block belongs to at the moment
  std::uint32_t regions_ = 0;
  // Of the blocks of the region that is looked at: when each was reached, the earliest one that can
  // be reached from it, and whether its component is still open.
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> on_stack_;
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
