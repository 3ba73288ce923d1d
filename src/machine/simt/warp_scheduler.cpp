#include "machine/simt/warp_scheduler.h"

#include <bit>

namespace raddle::machine::simt {

// Warps that wait long give their place to warps that are ready.
WarpSet WarpScheduler::active_of(WarpSet ready, const WarpTable& warps) {
  const WarpSet short_waits = warps.waiting(SlotUse::kAlu) | warps.waiting(SlotUse::kSfu) |
                              warps.waiting(SlotUse::kSharedMemory) |
                              warps.waiting(SlotUse::kFetch);
  active_ &= (ready | short_waits) & mine_;
  WarpSet pending = ready & ~active_;
  while (pending != 0 && count_warps(active_) < active_limit_) {
    const std::uint32_t warp = behind_last(pending);
    active_ |= set_of(warp);
    pending &= ~set_of(warp);
  }
  return ready & active_;
}

std::uint32_t WarpScheduler::choose(WarpSet candidates, const WarpTable& warps) {
  if (policy_ == SchedulingPolicy::kGreedyThenOldest) {
    if ((candidates & set_of(last_)) == 0) last_ = oldest(candidates, warps);
  } else {
    last_ = behind_last(candidates);
  }
  return last_;
}

std::uint32_t WarpScheduler::oldest(WarpSet candidates, const WarpTable& warps) {
  auto best = static_cast<std::uint32_t>(std::countr_zero(candidates));
  for (WarpSet left = candidates & (candidates - 1); left != 0; left &= left - 1) {
    const auto warp = static_cast<std::uint32_t>(std::countr_zero(left));
    if (warps[warp].age < warps[best].age) best = warp;
  }
  return best;
}

std::uint32_t WarpScheduler::behind_last(WarpSet candidates) const {
  const WarpSet behind = candidates & ~((set_of(last_) << 1) - 1);
  return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : candidates));
}

}  // namespace raddle::machine::simt
