#include "kernel/check/block_order.h"

#include <algorithm>
#include <bit>

namespace raddle::kernel::check {

using exec::kLanes;
using exec::LaneMask;

void BlockOrder::begin(std::uint32_t block) {
  block_ = block;
  floor_ = 0;
  warp_floor_ = {};
  for (auto& times : lanes_) times.reset();
  warps_.reset();
  came_ = waiting_ = {};
  fences_.clear();
  last_fence_ = fenced_floor_ = 0;
  if (has_acquired_) {
    for (Acquired& known : acquired_) known.clear();
    acquired_by_block_.clear();
  }
  has_acquired_ = false;
}

void BlockOrder::arrive(std::uint32_t warp, std::int32_t barrier, bool waits) {
  const auto id = static_cast<std::size_t>(barrier);
  came_[id] |= 1u << warp;
  if (waits) {
    waiting_[id] |= 1u << warp;
  } else {
    arrived_[warp] = ++now_;  // what it does from here on comes after its arrival
  }
}

void BlockOrder::complete(std::int32_t barrier, bool everyone) {
  const auto id = static_cast<std::size_t>(barrier);
  const std::uint32_t came = came_[id];
  const std::uint32_t waiting = waiting_[id];
  came_[id] = waiting_[id] = 0;
  ++now_;
  if (has_acquired_) {
    for (std::uint32_t left = came; left != 0; left &= left - 1)
      join(acquired_by_block_, acquired_[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  if (everyone && came == waiting) {
    floor_ = now_;
    fenced_floor_ = last_fence_;
  } else {
    complete_in_part(came, waiting);
  }
}

void BlockOrder::complete_in_part(std::uint32_t came, std::uint32_t waiting) {
  if (warps_ == nullptr) warps_ = std::make_unique<WarpTimes>();
  std::array<std::uint32_t, kWarps> known{};
  for (std::uint32_t left = came; left != 0; left &= left - 1) {
    const auto& row = (*warps_)[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::size_t w = 0; w < kWarps; ++w) known[w] = std::max(known[w], row[w]);
  }
  for (std::uint32_t left = came; left != 0; left &= left - 1) {
    const auto warp = static_cast<std::size_t>(std::countr_zero(left));
    known[warp] = (waiting >> warp & 1) != 0 ? now_ : arrived_[warp];
  }
  for (std::uint32_t left = waiting; left != 0; left &= left - 1) {
    const auto warp = static_cast<std::size_t>(std::countr_zero(left));
    (*warps_)[warp] = known;
    warp_floor_[warp] = now_;
  }
}

void BlockOrder::synchronise(std::uint32_t warp, LaneMask lanes, LaneMask live,
                             const LaneMask* members) {
  ++now_;
  const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
  if (lanes == live && (members[first] & live) == live) {
    warp_floor_[warp] = now_;
    return;
  }
  if (lanes_[warp] == nullptr) lanes_[warp] = std::make_unique<LaneTimes>();
  LaneTimes& times = *lanes_[warp];
  for (LaneMask left = lanes; left != 0;) {
    const LaneMask group = members[std::countr_zero(left)];
    std::array<std::uint32_t, kLanes> known{};
    for (LaneMask others = group; others != 0; others &= others - 1) {
      const auto& row = times[static_cast<std::size_t>(std::countr_zero(others))];
      for (std::size_t i = 0; i < kLanes; ++i) known[i] = std::max(known[i], row[i]);
    }
    for (LaneMask others = group; others != 0; others &= others - 1)
      known[static_cast<std::size_t>(std::countr_zero(others))] = now_;
    const LaneMask together = lanes & (group | (left & (~left + 1)));
    for (LaneMask here = together; here != 0; here &= here - 1)
      times[static_cast<std::size_t>(std::countr_zero(here))] = known;
    left &= ~together;
  }
}

void BlockOrder::fence(std::uint32_t warp, LaneMask lanes, bool within_block) {
  if (fences_.empty()) fences_.resize(kThreads);
  ++now_;
  if (!within_block) last_fence_ = now_;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    Fence& fence = fences_[warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(left))];
    fence.block = {.own = now_, .warp = warp_floor_[warp], .block = floor_};
    if (!within_block) fence.device = fence.block;
    fence.released = kNowhere;
  }
}

void BlockOrder::acquire(std::uint32_t warp, std::uint64_t address) {
  log_.acquire(address, acquired_[warp]);
  has_acquired_ = has_acquired_ || !acquired_[warp].empty();
}

bool BlockOrder::ordered_by_some(const Record& access, const Record& mine) const {
  const std::uint32_t its_warp = access.thread() / kLanes;
  const std::uint32_t my_warp = mine.thread() / kLanes;
  if (its_warp == my_warp) {
    if (access.stamp < warp_floor_[my_warp]) return true;
    return lanes_[my_warp] != nullptr &&
           access.stamp < (*lanes_[my_warp])[mine.thread() % kLanes][access.thread() % kLanes];
  }
  return warps_ != nullptr && access.stamp < (*warps_)[my_warp][its_warp];
}

bool BlockOrder::after_release(const Record& access, const Record& mine) const {
  if (!has_acquired_) return false;
  return log_.covers(acquired_[mine.thread() / kLanes], access, block_) ||
         log_.covers(acquired_by_block_, access, block_);
}

}  // namespace raddle::kernel::check
