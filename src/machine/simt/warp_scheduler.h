// Chooses among the warps that could issue: loose round robin (whoever comes behind the last one),
// greedy then oldest (the same warp as long as it can, then the oldest), two-level (round robin
// among a few active warps; one that waits for memory leaves its place to another).
#pragma once

#include <cstdint>

#include "machine/simt/gpu_parameters.h"
#include "machine/simt/warp_table.h"

namespace raddle::machine::simt {

// Cycles of [from, to) in which scheduler `scheduler`, which issues every `interval` cycles, has a
// slot: the schedulers of a multiprocessor take turns.
constexpr std::uint64_t slots_between(std::uint64_t from, std::uint64_t to, std::uint64_t scheduler,
                                      std::uint64_t interval) {
  if (to <= from) return 0;
  if (interval == 1) return to - from;
  const auto until = [&](std::uint64_t cycle) {
    return (cycle + scheduler + interval - 1) / interval;
  };
  return until(to) - until(from);
}

class WarpScheduler {
 public:
  // `mine`: the slots of warps that belong to this scheduler.
  WarpScheduler(const CoreParameters& parameters, WarpSet mine)
      : policy_(parameters.policy), active_limit_(parameters.active_warps), mine_(mine) {}

  WarpSet mine() const { return mine_; }
  // Those that the policy lets issue now, of those that are ready.
  WarpSet eligible(WarpSet ready, const WarpTable& warps) {
    return policy_ == SchedulingPolicy::kTwoLevel ? active_of(ready & mine_, warps) : ready & mine_;
  }
  // One of the candidates, of which there is at least one.
  std::uint32_t choose(WarpSet candidates, const WarpTable& warps);

 private:
  static std::uint32_t oldest(WarpSet candidates, const WarpTable& warps);
  std::uint32_t behind_last(WarpSet candidates) const;
  WarpSet active_of(WarpSet ready, const WarpTable& warps);

  SchedulingPolicy policy_;
  std::uint32_t active_limit_;
  WarpSet mine_;
  WarpSet active_ = 0;  // two-level
  std::uint32_t last_ = 0;
};

}  // namespace raddle::machine::simt
