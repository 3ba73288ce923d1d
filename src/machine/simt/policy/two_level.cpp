// Round robin among a few active warps; one that waits for memory leaves its place to another.
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/scheduling_policy.h"

namespace raddle::machine::simt {
namespace {

class TwoLevel final : public SchedulingPolicy {
 public:
  explicit TwoLevel(const CoreParameters& core) : active_limit_(core.active_warps) {}

  bool restricts() const override { return true; }

  // Warps that wait long give their place to warps that are ready.
  WarpSet eligible(WarpSet ready, const WarpTable& warps) override {
    const WarpSet short_waits = warps.waiting(SlotUse::kAlu) | warps.waiting(SlotUse::kSfu) |
                                warps.waiting(SlotUse::kSharedMemory) |
                                warps.waiting(SlotUse::kFetch);
    active_ &= ready | short_waits;
    WarpSet pending = ready & ~active_;
    while (pending != 0 && count_warps(active_) < active_limit_) {
      const std::uint32_t warp = first_behind(last_, pending);
      active_ |= set_of(warp);
      pending &= ~set_of(warp);
    }
    return ready & active_;
  }

  std::uint32_t choose(WarpSet candidates, const WarpTable& /*warps*/) override {
    last_ = first_behind(last_, candidates);
    return last_;
  }

 private:
  std::uint32_t active_limit_;
  WarpSet active_ = 0;
  std::uint32_t last_ = 0;
};

RADDLE_REGISTER_POLICY("two-level", TwoLevel);

}  // namespace
}  // namespace raddle::machine::simt
