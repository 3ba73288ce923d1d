// Blocks on multiprocessors, and what holds warps up: order of dispatch, barriers, fences, sleep.
#include <gtest/gtest.h>

#include <set>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

TEST(Dispatch, GivesBlocksToMultiprocessorsInTurn) {
  Fermi gpu(kernel_of("mov.u32 %r10, %smid;\n st.global.u32 [%rd2], %r10;"));
  gpu.run_k(30, 1);
  const std::vector<std::uint32_t> cores = gpu.words(30);
  for (std::uint32_t block = 0; block < 30; ++block) EXPECT_EQ(cores[block], block % 15);
}

TEST(Dispatch, GoesOnAfterTheMultiprocessorThatTheLaunchBeforeEndedWith) {
  Fermi gpu(kernel_of("mov.u32 %r10, %smid;\n st.global.u32 [%rd2], %r10;"));
  std::uint32_t next = 0;
  for (const std::uint32_t blocks : {4U, 1U, 13U, 2U}) {
    gpu.run_k(blocks, 1);
    for (const std::uint32_t core : gpu.words(blocks)) EXPECT_EQ(core, next++ % 15);
  }
}

TEST(Dispatch, GivesTheNextBlockToWhoeverHasRoomFirst) {
  // Blocks 0 to 119 fill the GPU; that of multiprocessor 7 alone end soon.
  Fermi gpu(kernel_of(R"(
  mov.u32 %r10, %smid;
  st.global.u32 [%rd2], %r10;
  setp.eq.u32 %p1, %r10, 7;
  @%p1 bra DONE;
  mov.u32 %r20, 0;
LOOP:
  add.u32 %r20, %r20, 1;
  setp.lt.u32 %p2, %r20, 300;
  @%p2 bra LOOP;
DONE:
)"));
  gpu.run_k(130, 1);
  const std::vector<std::uint32_t> cores = gpu.words(130);
  for (std::uint32_t block = 120; block < 130; ++block) EXPECT_EQ(cores[block], 7U) << block;
}

TEST(Dispatch, SaysWhatLimitsOccupancyInTheResult) {
  Fermi gpu(kernel_of("st.shared.u32 [tile], %r2;\n st.global.u32 [%rd2], %r2;"));
  const LaunchResult result = gpu.run_k(200, 64, 0, 1u << 14);
  EXPECT_EQ(result.kernel_launch->occupancy.blocks_per_core, 6U) << "8 KB of 48 each";
  EXPECT_EQ(result.kernel_launch->occupancy.limited_by, "shared memory");
  EXPECT_EQ(result.kernel_launch->occupancy.warps_limit, 12U);
  EXPECT_GT(result.kernel_launch->occupancy.warps, 0);
  EXPECT_LE(result.kernel_launch->occupancy.warps, 12);
  EXPECT_EQ(gpu.run_k(5, 64).kernel_launch->occupancy.limited_by, "the grid's size");
}

TEST(Dispatch, StartsAfterTheCyclesOfALaunch) {
  const std::string ptx = kernel_of("st.global.u32 [%rd2], %r2;");
  Fermi quick(ptx), slow(ptx, {"device.launch_cycles=5000"});
  const double more = static_cast<double>(slow.run_k(1, 32).cycles) -
                      static_cast<double>(quick.run_k(1, 32).cycles);
  EXPECT_NEAR(more, 5000, 16) << "to the next quantum";
}

TEST(Dispatch, NanosleepHoldsAWarpForThatLong) {
  const double each = cycles_each("", "nanosleep.u32 500;\n", 2, 10);
  EXPECT_GE(each, 350) << "500 ns at 700 MHz";
  EXPECT_LT(each, 370);
}

TEST(Dispatch, AFenceWaitsForStoresToBeAcknowledged) {
  const double with = cycles_each("", "st.global.u32 [%rd2], %r2;\n membar.gl;\n", 2, 8);
  const double without = cycles_each("", "st.global.u32 [%rd2], %r2;\n", 2, 8);
  EXPECT_GT(with, without + 100) << "to the L2 and back";
}

TEST(Dispatch, ABarrierOfOneWarpCostsLittle) {
  EXPECT_LT(cycles_each("", "bar.sync 0;\n", 2, 10), 60) << "with the fetch of its line";
}

}  // namespace
}  // namespace raddle::machine::simt
