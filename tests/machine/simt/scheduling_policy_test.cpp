// A policy that is written and registered here, as a user would, and chosen by its name.
#include "machine/simt/scheduling_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

std::atomic<std::uint64_t> chosen{0};
std::atomic<std::uint64_t> not_the_oldest{0};

class OldestFirst final : public SchedulingPolicy {
 public:
  explicit OldestFirst(const CoreParameters& /*core*/) {}
  std::uint32_t choose(WarpSet candidates, const WarpTable& warps) override {
    const std::uint32_t oldest = oldest_of(candidates, warps);
    ++chosen;
    for (std::uint32_t warp = 0; warp < warps.size(); ++warp) {
      if ((candidates & set_of(warp)) != 0 && warps[warp].age < warps[oldest].age) ++not_the_oldest;
    }
    return oldest;
  }
};
RADDLE_REGISTER_POLICY("test-oldest-first", OldestFirst);

// Lets one warp run to its end before another begins.
class OneAtATime final : public SchedulingPolicy {
 public:
  explicit OneAtATime(const CoreParameters& /*core*/) {}
  bool restricts() const override { return true; }
  WarpSet eligible(WarpSet ready, const WarpTable& warps) override {
    if (ready != 0 && warps[current_].cause == SlotUse::kNoWarp) current_ = oldest_of(ready, warps);
    return ready & set_of(current_);
  }
  std::uint32_t choose(WarpSet candidates, const WarpTable& warps) override {
    return oldest_of(candidates, warps);
  }

 private:
  std::uint32_t current_ = 63;
};
RADDLE_REGISTER_POLICY("test-one-at-a-time", OneAtATime);

const std::string kWork =
    kernel_of(repeated(20,
                       "ld.global.u32 %r10, [%rd2];\nadd.u32 %r10, %r10, 1;\nst.global.u32 [%rd2], "
                       "%r10;\n"));

LaunchResult run_with(const std::string& policy) {
  Fermi gpu(kWork, {"core.policy=" + policy, "device.cores=1", "core.warps=64"});
  const LaunchResult result = gpu.run_k(4, 128);
  EXPECT_THAT(gpu.words(512), ::testing::Each(20u)) << policy;
  return result;
}

TEST(SchedulingPolicy, OfAUserIsAskedForEveryInstruction) {
  const LaunchResult result = run_with("test-oldest-first");
  EXPECT_EQ(chosen, result.warp_instructions);
  EXPECT_EQ(not_the_oldest, 0u);
}

TEST(SchedulingPolicy, ThatRestrictsKeepsReadyWarpsFromIssuing) {
  EXPECT_GT(run_with("test-one-at-a-time").cycles, 3 * run_with("greedy-then-oldest").cycles);
}

TEST(SchedulingPolicy, KnowsAllNamesInOrder) {
  const std::vector<std::string> names = policy_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"greedy-then-oldest", "loose-round-robin", "two-level",
                           "test-oldest-first", "test-one-at-a-time"})
    EXPECT_THAT(names, ::testing::Contains(name));
}

}  // namespace
}  // namespace raddle::machine::simt
