// One of the schedulers of a multiprocessor: which warps are its own, and the policy that chooses
// among those that could issue.
#pragma once

#include <cstdint>
#include <memory>

#include "machine/simt/gpu_parameters.h"
#include "machine/simt/scheduling_policy.h"

namespace raddle::machine::simt {

// Cycles of [from, to) in which scheduler `scheduler`, which issues every `interval` cycles, has a
// slot: the schedulers of a multiprocessor take turns.
constexpr Cycle slots_between(Cycle from, Cycle to, std::uint64_t scheduler, Cycle interval) {
  if (to <= from) return Cycle(0);
  if (interval == Cycle(1)) return to - from;
  const auto until = [&](Cycle cycle) {
    return (cycle + Cycle(scheduler) + interval - Cycle(1)) / interval;
  };
  return Cycle(until(to) - until(from));
}

class WarpScheduler {
 public:
  // `mine`: the slots of warps that belong to this scheduler.
  WarpScheduler(const CoreParameters& parameters, WarpSet mine)
      : policy_(make_policy(parameters.policy, parameters)),
        restricts_(policy_->restricts()),
        mine_(mine) {}

  WarpSet mine() const { return mine_; }
  // Those that the policy lets issue now, of those that are ready.
  WarpSet eligible(WarpSet ready, const WarpTable& warps) {
    return restricts_ ? policy_->eligible(ready & mine_, warps) : ready & mine_;
  }
  // One of the candidates, of which there is at least one.
  std::uint32_t choose(WarpSet candidates, const WarpTable& warps) {
    return policy_->choose(candidates, warps);
  }

 private:
  std::unique_ptr<SchedulingPolicy> policy_;
  bool restricts_;
  WarpSet mine_;
};

}  // namespace raddle::machine::simt
