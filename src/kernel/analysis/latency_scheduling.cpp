#include "kernel/analysis/latency_scheduling.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/stop_token.h"
#include "kernel/analysis/def_use.h"

namespace raddle::kernel {
namespace {

bool is_load(const Instruction& i) {
  return i.opcode == Opcode::kLd || group_of(i.opcode) == OpcodeGroup::kTexture;
}

// What nothing may pass.
bool is_fence(const Instruction& i) {
  switch (group_of(i.opcode)) {
    case OpcodeGroup::kBarrier:
    case OpcodeGroup::kWarp:
    case OpcodeGroup::kInterThread:
    case OpcodeGroup::kControl: return true;
    case OpcodeGroup::kMemory:
      return (i.opcode != Opcode::kLd && i.opcode != Opcode::kSt) || i.order != MemoryOrder::kWeak;
    default: return false;
  }
}

bool is_constant_space(const Instruction& i) {
  return i.space == Space::kConst || i.space == Space::kParam || i.non_coherent ||
         group_of(i.opcode) == OpcodeGroup::kTexture;
}

class BlockScheduler {
 public:
  BlockScheduler(const std::vector<Instruction>& instructions, std::size_t registers,
                 const SchedulingLatencies& latencies)
      : instructions_(instructions),
        latencies_(latencies),
        nodes_(instructions.size()),
        last_write_(registers, kNone),
        reads_(registers) {}

  std::vector<Instruction> run() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) add(i);
    find_heights();
    return in_order();
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Edge {
    std::size_t to;
    std::uint32_t latency;
  };
  struct Node {
    std::vector<Edge> followers;
    std::uint32_t waits_for = 0;
    std::uint64_t height = 0;  // cycles from its issue to the end of the block
    std::uint64_t ready = 0;
  };

  std::uint32_t latency_of(const Instruction& i) const {
    if (!is_load(i)) return latencies_.arithmetic;
    if (i.space == Space::kShared) return latencies_.shared;
    return i.space == Space::kParam || i.space == Space::kConst ? latencies_.arithmetic
                                                                : latencies_.memory;
  }

  void connect(std::size_t from, std::size_t to, std::uint32_t latency) {
    if (from == kNone || from == to) return;
    nodes_[from].followers.push_back({to, latency});
    ++nodes_[to].waits_for;
  }

  void add(std::size_t index) {
    const Instruction& i = instructions_[index];
    for_each_use(i, [&](RegisterId id) {
      if (last_write_[id] != kNone)
        connect(last_write_[id], index, latency_of(instructions_[last_write_[id]]));
      reads_[id].push_back(index);
    });
    for_each_def(i, [&](RegisterId id) {
      for (const std::size_t reader : reads_[id]) connect(reader, index, 0);
      connect(last_write_[id], index, 1);
      reads_[id].clear();
      last_write_[id] = index;
      if (is_partial_write(i)) reads_[id].push_back(index);
    });
    add_memory_order(index, i);
  }

  void add_memory_order(std::size_t index, const Instruction& i) {
    const bool last = index + 1 == instructions_.size() && ends_block(i);
    if (is_fence(i) || last) {
      for (std::size_t before = fence_ == kNone ? 0 : fence_; before < index; ++before)
        connect(before, index, 0);
      fence_ = index;
      stores_.clear();
      loads_.clear();
      return;
    }
    connect(fence_, index, 0);
    if (is_load(i) && !is_constant_space(i)) {
      for (const std::size_t store : stores_) {
        if (may_alias(instructions_[store], i)) connect(store, index, 1);
      }
      loads_.push_back(index);
    } else if (i.opcode == Opcode::kSt) {
      for (const std::size_t other : loads_) {
        if (may_alias(instructions_[other], i)) connect(other, index, 0);
      }
      for (const std::size_t other : stores_) {
        if (may_alias(instructions_[other], i)) connect(other, index, 0);
      }
      stores_.push_back(index);
    }
  }

  static bool may_alias(const Instruction& a, const Instruction& b) {
    if (a.space != b.space) return a.space == Space::kGeneric || b.space == Space::kGeneric;
    // Two places at one address.
    const bool same_base = a.sources[0] == b.sources[0];
    return !same_base || a.offset == b.offset;
  }

  void find_heights() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      for (const Edge& edge : nodes_[i].followers)
        nodes_[i].height = std::max(nodes_[i].height, nodes_[edge.to].height + edge.latency);
    }
  }

  // One instruction a cycle: of those whose operands are there, the one with the longest way to go;
  // where there is none, the one whose operands come first.
  std::vector<Instruction> in_order() {
    std::vector<Instruction> order;
    order.reserve(instructions_.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].waits_for == 0) open.push_back(i);
    }
    for (std::uint64_t now = 0; !open.empty(); ++now) {
      throw_if_stopped("scheduling instructions");
      const auto comes_before = [&](std::size_t a, std::size_t b) {
        const std::uint64_t ready_a = std::max(now, nodes_[a].ready);
        const std::uint64_t ready_b = std::max(now, nodes_[b].ready);
        if (ready_a != ready_b) return ready_a < ready_b;
        if (nodes_[a].height != nodes_[b].height) return nodes_[a].height > nodes_[b].height;
        return a < b;
      };
      const auto next = std::min_element(open.begin(), open.end(), comes_before);
      const std::size_t chosen = *next;
      open.erase(next);
      now = std::max(now, nodes_[chosen].ready);
      order.push_back(instructions_[chosen]);
      for (const Edge& edge : nodes_[chosen].followers) {
        Node& follower = nodes_[edge.to];
        follower.ready = std::max(follower.ready, now + edge.latency);
        if (--follower.waits_for == 0) open.push_back(edge.to);
      }
    }
    return order;
  }

  const std::vector<Instruction>& instructions_;
  const SchedulingLatencies& latencies_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> last_write_;          // by register
  std::vector<std::vector<std::size_t>> reads_;  // by register, since it was written
  std::vector<std::size_t> loads_, stores_;      // since the last fence
  std::size_t fence_ = kNone;
};

}  // namespace

Function schedule_for_latency(const Function& function, const SchedulingLatencies& latencies) {
  Function scheduled = function;
  for (Block& block : scheduled.blocks)
    block.instructions =
        BlockScheduler(block.instructions, function.registers.size(), latencies).run();
  return scheduled;
}

}  // namespace raddle::kernel
