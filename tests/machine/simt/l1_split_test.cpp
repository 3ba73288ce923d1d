// The L1 and shared memory divide what they have in common as kernels prefer, launch by launch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

using kernel::exec::CachePreference;

constexpr std::uint32_t kLines = 256;  // 32 KB: more than 16 KB of L1, less than 48
const L1Split kMoreShared{16384, 49152, "none"};

// Each warp reads the same lines twice, one after the other.
const std::string kReadTwice = kernel_of(R"(
  mov.u32 %r10, 0;
PASS:
  mov.u32 %r11, 0;
  mov.u64 %rd5, %rd1;
LINE:
  ld.global.u32 %r12, [%rd5];
  add.u64 %rd5, %rd5, 128;
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, 256;
  @%p1 bra LINE;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 2;
  @%p2 bra PASS;
)");

class SplitGpu : public Fermi {
 public:
  explicit SplitGpu(std::vector<std::string> settings = {})
      : Fermi(kReadTwice, std::move(settings)),
        data_(buffer(std::vector<std::uint32_t>(kLines * 32))) {}

  QueuedLaunch queued(CachePreference prefers, std::uint32_t stream = 0,
                      std::uint32_t dynamic_shared_bytes = 0, std::uint32_t blocks = 1) {
    Launch launch = launch_of("k", {blocks}, {32}, {data_, 0}, dynamic_shared_bytes);
    launch.prefers = prefers;
    return {launch, stream};
  }
  LaunchResult run_with(CachePreference prefers, std::uint32_t dynamic_shared_bytes = 0,
                        std::uint32_t blocks = 1) {
    return *run_together({queued(prefers, 0, dynamic_shared_bytes, blocks)}).front();
  }

 private:
  std::uint64_t data_;
};

L1Split with_preference(L1Split split, const std::string& preferred) {
  split.preferred = preferred;
  return split;
}
L1Split more_l1(const std::string& preferred) { return {49152, 16384, preferred}; }

const MemoryTraffic& l1_of(const LaunchResult& result) {
  for (const MemoryTraffic& level : result.memory) {
    if (level.level == "L1") return level;
  }
  throw std::runtime_error("no L1");
}

TEST(L1Split, HoldsMoreLinesForAKernelThatPrefersTheL1) {
  SplitGpu gpu;
  const LaunchResult usual = gpu.run_with(CachePreference::kNone);
  EXPECT_EQ(usual.kernel_launch->l1_split, kMoreShared);
  EXPECT_EQ(l1_of(usual).hits, 0u) << "the least recently used line is the next one asked for";
  const LaunchResult larger = gpu.run_with(CachePreference::kL1);
  EXPECT_EQ(larger.kernel_launch->l1_split, more_l1("L1"));
  EXPECT_EQ(l1_of(larger).hits, kLines);
  EXPECT_LT(larger.cycles, usual.cycles);
}

TEST(L1Split, IsEmptiedAndCountsGoOnWhenItChanges) {
  SplitGpu gpu;
  for (const CachePreference prefers : {CachePreference::kL1, CachePreference::kShared,
                                        CachePreference::kL1, CachePreference::kL1}) {
    const LaunchResult result = gpu.run_with(prefers);
    EXPECT_EQ(l1_of(result).load_accesses, 2 * kLines);
    EXPECT_EQ(l1_of(result).hits, prefers == CachePreference::kL1 ? kLines : 0);
  }
}

TEST(L1Split, StaysAsItWasForAKernelWithoutAPreference) {
  SplitGpu gpu;
  gpu.run_with(CachePreference::kL1);
  EXPECT_EQ(gpu.run_with(CachePreference::kNone).kernel_launch->l1_split, more_l1("none"));
  EXPECT_EQ(gpu.run_with(CachePreference::kEqual).kernel_launch->l1_split, more_l1("equal"))
      << "there is no equal split";
  EXPECT_EQ(gpu.run_with(CachePreference::kShared).kernel_launch->l1_split,
            with_preference(kMoreShared, "shared"));
  EXPECT_EQ(gpu.run_with(CachePreference::kNone).kernel_launch->l1_split, kMoreShared);
}

TEST(L1Split, GivesAKernelTheSharedMemoryThatItNeedsWhateverItPrefers) {
  SplitGpu gpu;
  EXPECT_EQ(gpu.run_with(CachePreference::kL1, 16384).kernel_launch->l1_split, more_l1("L1"))
      << "just fits";
  EXPECT_EQ(gpu.run_with(CachePreference::kL1, 16385).kernel_launch->l1_split,
            with_preference(kMoreShared, "L1"));
  EXPECT_EQ(gpu.run_with(CachePreference::kL1).kernel_launch->l1_split, more_l1("L1"));
  EXPECT_EQ(gpu.run_with(CachePreference::kNone, 30000).kernel_launch->l1_split, kMoreShared);
}

TEST(L1Split, LimitsOccupancyByTheSharedMemoryThatIsLeft) {
  SplitGpu gpu;
  EXPECT_EQ(
      gpu.run_with(CachePreference::kShared, 8192, 200).kernel_launch->occupancy.blocks_per_core,
      6u);
  const LaunchResult result = gpu.run_with(CachePreference::kL1, 8192, 200);
  EXPECT_EQ(result.kernel_launch->occupancy.blocks_per_core, 2u);
  EXPECT_EQ(result.kernel_launch->occupancy.limited_by, "shared memory");
  EXPECT_LE(result.kernel_launch->occupancy.warps, 2.0);
}

TEST(L1Split, LeavesRoomForAllBlocksOfACooperativeKernel) {
  SplitGpu gpu({"device.cores=2"});
  const auto split_of = [&](std::uint32_t blocks) {
    QueuedLaunch queued = gpu.queued(CachePreference::kL1, 0, 8192, blocks);
    queued.launch.cooperative = true;
    return gpu.run_together({queued}).front()->kernel_launch->l1_split;
  };
  EXPECT_EQ(split_of(4), more_l1("L1"));
  EXPECT_EQ(split_of(5), with_preference(kMoreShared, "L1"));
}

TEST(L1Split, ChangesOnlyWhenNothingIsInFlight) {
  SplitGpu gpu;
  const auto same =
      gpu.run_together({gpu.queued(CachePreference::kL1, 1), gpu.queued(CachePreference::kL1, 2)});
  EXPECT_EQ(same[1]->start_cycle, 0u);
  const auto different = gpu.run_together({gpu.queued(CachePreference::kShared, 1),
                                           gpu.queued(CachePreference::kL1, 2),
                                           gpu.queued(CachePreference::kNone, 3)});
  EXPECT_GE(different[1]->start_cycle, different[0]->cycles);
  EXPECT_EQ(different[2]->start_cycle, different[1]->start_cycle);
  EXPECT_EQ(different[2]->kernel_launch->l1_split, more_l1("none"));
  EXPECT_EQ(l1_of(*different[0]).hits, 0u);
}

TEST(L1Split, IsFixedWhereTheTableSaysSo) {
  SplitGpu gpu({"split.switches=false"});
  const LaunchResult result = gpu.run_with(CachePreference::kL1);
  EXPECT_EQ(result.kernel_launch->l1_split, L1Split());
  EXPECT_EQ(l1_of(result).hits, 0u);
  EXPECT_FALSE(gpu.machine().description().splits_l1);
  EXPECT_FALSE(make_kernel_machine(load_parameters("fermi-sm"))->description().splits_l1);
  EXPECT_TRUE(make_kernel_machine(load_parameters("gtx580"))->description().splits_l1);
}

}  // namespace
}  // namespace raddle::machine::simt
