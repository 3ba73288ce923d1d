#include "kernel/exec/warp_sync.h"

#include <fmt/format.h>

#include <bit>

namespace raddle::kernel::exec {

template <class Visit>
void WarpSync::for_each_waiting_for_lanes(Visit visit) {
  for (Activation& activation : warp_.activations) {
    if (!activation.in_use) continue;
    for (Split& split : activation.splits) {
      if (split.barrier == kWaitsForLanes) visit(activation, split);
    }
  }
}

void WarpSync::let_go(Split& split) {
  split.barrier = kNotWaiting;
  warp_.released |= split.mask;
}

void WarpSync::release_gathered(bool spins) {
  bool some_wait = false;
  for_each_waiting_for_lanes([&](Activation& activation, Split& split) {
    const bool exchanges = activation.function->code[split.pc].ir->opcode != Opcode::kWarpSync;
    const LaneMask come = split.mask | (exchanges && !spins ? LaneMask{0} : split.passed);
    if ((split.members & warp_.live & ~come) == 0) {
      let_go(split);
    } else {
      some_wait = true;
    }
  });
  warp_.waits_for_lanes = some_wait;
}

bool WarpSync::release_first_stuck() {
  LaneMask may_come = 0;
  for (const Activation& activation : warp_.activations) {
    if (!activation.in_use) continue;
    for (const Split& split : activation.splits) {
      const bool others_free_it = split.barrier == kWaitsForThread ||
                                  (split.barrier >= 0 && !block_.needs_all_threads(split.barrier));
      if (others_free_it) may_come |= split.mask;
    }
  }
  for (LaneMask before = ~may_come; before != may_come;) {
    before = may_come;
    for_each_waiting_for_lanes([&](Activation&, Split& split) {
      if ((split.members & may_come) != 0) may_come |= split.mask;
    });
  }
  Activation* where = nullptr;
  Split* first = nullptr;
  for_each_waiting_for_lanes([&](Activation& activation, Split& split) {
    if ((split.mask & may_come) != 0) return;
    const bool ranks_first =
        where != &activation || position(activation, split.pc) < position(activation, first->pc);
    if (!ranks_first) return;  // of the deepest call
    where = &activation;
    first = &split;
  });
  if (first == nullptr) return false;
  LaneMask at_same_mask = first->mask;
  let_go(*first);
  for_each_waiting_for_lanes([&](Activation&, Split& split) {
    if (split.members != first->members) return;
    split.passed |= first->mask;
    at_same_mask |= split.mask;
  });
  const LaneMask missing = first->members & warp_.live & ~at_same_mask;
  if (missing != 0 && grid_.options.check.barrier) report_missing(*where, *first, missing);
  release_gathered(false);
  return true;
}

void WarpSync::report_missing(const Activation& activation, const Split& split, LaneMask missing) {
  const DecodedFunction& function = *activation.function;
  grid_.add_fault(grid_.describe(
      FaultKind::kBarrierDivergence,
      fmt::format("barrier divergence: lanes {:#010x} of the mask do not reach this operation",
                  missing),
      warp_, function, function.code[split.pc], std::countr_zero(split.mask)));
}

bool WarpSync::gather(const DecodedInstruction& d) {
  auto& splits = here_->splits;
  LaneMask standing = 0;
  for (std::size_t i = splits.size(); i-- > 0;) {
    if (splits[i].pc != pc_) continue;
    if (splits[i].barrier == kWaitsForLanes) standing |= splits[i].mask;
    if (splits[i].barrier != kNotWaiting) continue;
    mask_ |= splits[i].mask;
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const LaneMask active = active_lanes(d, warp_, mask_);
  standing |= active;
  const LaneMask elsewhere = warp_.live & ~standing;
  for (std::size_t i = splits.size(); i-- > 0;) {
    if (splits[i].pc != pc_ || splits[i].barrier != kWaitsForLanes) continue;
    if ((splits[i].members & elsewhere) != 0) continue;
    mask_ |= splits[i].mask;
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (elsewhere == 0) return true;
  const auto* members = reinterpret_cast<const LaneMask*>(here_->frame + d.members);
  for (LaneMask left = active & ~warp_.released; left != 0; left &= left - 1) {
    const LaneMask wanted = members[std::countr_zero(left)];
    if ((wanted & elsewhere) != 0) wait_for_lanes(wanted, left & (~left + 1));
  }
  return mask_ != 0;
}

void WarpSync::wait_for_lanes(LaneMask members, LaneMask lane) {
  mask_ &= ~lane;
  warp_.waits_for_lanes = true;
  for (Split& split : here_->splits) {
    if (split.pc != pc_ || split.barrier != kWaitsForLanes || split.members != members) continue;
    split.mask |= lane;
    return;
  }
  here_->splits.push_back(
      {.pc = pc_, .mask = lane, .barrier = kWaitsForLanes, .barrier_pc = pc_, .members = members});
}

}  // namespace raddle::kernel::exec
