// Whoever comes after the last one; loose, because those that cannot issue are passed over.
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/scheduling_policy.h"

namespace raddle::machine::simt {
namespace {

class LooseRoundRobin final : public SchedulingPolicy {
 public:
  explicit LooseRoundRobin(const CoreParameters& /*core*/) {}

  std::uint32_t choose(WarpSet candidates, const WarpTable& /*warps*/) override {
    last_ = first_behind(last_, candidates);
    return last_;
  }

 private:
  std::uint32_t last_ = 0;
};

RADDLE_REGISTER_POLICY("loose-round-robin", LooseRoundRobin);

}  // namespace
}  // namespace raddle::machine::simt
