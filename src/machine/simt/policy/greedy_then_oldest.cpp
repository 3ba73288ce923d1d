// The same warp as long as it can, then the oldest.
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/scheduling_policy.h"

namespace raddle::machine::simt {
namespace {

class GreedyThenOldest final : public SchedulingPolicy {
 public:
  explicit GreedyThenOldest(const CoreParameters& /*core*/) {}

  std::uint32_t choose(WarpSet candidates, const WarpTable& warps) override {
    if ((candidates & set_of(last_)) == 0) last_ = oldest_of(candidates, warps);
    return last_;
  }

 private:
  std::uint32_t last_ = 0;
};

RADDLE_REGISTER_POLICY("greedy-then-oldest", GreedyThenOldest);

}  // namespace
}  // namespace raddle::machine::simt
