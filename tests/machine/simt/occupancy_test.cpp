// How many blocks fit on a multiprocessor of fermi, and what they run out of.
#include "machine/simt/occupancy.h"

#include <gtest/gtest.h>

#include "machine/simt/fermi.h"

namespace raddle::machine::simt {
namespace {

OccupancyLimit limit(std::uint32_t threads, std::uint32_t registers, std::uint32_t shared) {
  const GpuParameters p = fermi();
  return occupancy_limit(block_needs(threads, registers, ShortBytes(shared), p.core), p.core);
}

TEST(Occupancy, IsLimitedByBlocksWhenTheyAreSmall) {
  EXPECT_EQ(limit(64, 10, 0).blocks, 8U);
  EXPECT_EQ(limit(64, 10, 0).reason, "blocks");
}

TEST(Occupancy, IsLimitedByThreads) {
  EXPECT_EQ(limit(512, 10, 0).blocks, 3U);
  EXPECT_EQ(limit(512, 10, 0).reason, "threads");
  EXPECT_EQ(limit(257, 10, 0).blocks, 5U) << "288 threads in whole warps";
}

TEST(Occupancy, IsLimitedByWarpsWhereThereAreFewerThanThreads) {
  const GpuParameters p = fermi({"core.warps=24"});
  const OccupancyLimit found = occupancy_limit(block_needs(256, 10, ShortBytes(0), p.core), p.core);
  EXPECT_EQ(found.blocks, 3U);
  EXPECT_EQ(found.reason, "warps");
}

TEST(Occupancy, IsLimitedByRegistersInUnitsOfAWarp) {
  // 63 registers of 32 threads are 2016, given as 2048; 16 such warps fill the file.
  EXPECT_EQ(limit(256, 63, 0).blocks, 2U);
  EXPECT_EQ(limit(256, 63, 0).reason, "registers");
  // 8 warps of 640 registers, and of 704.
  EXPECT_EQ(limit(256, 20, 0).blocks, 6U);
  EXPECT_EQ(limit(256, 22, 0).blocks, 5U);
}

TEST(Occupancy, IsLimitedBySharedMemoryInUnitsOf128Bytes) {
  EXPECT_EQ(limit(64, 10, 16384).blocks, 3U);
  EXPECT_EQ(limit(64, 10, 16384).reason, "shared memory");
  EXPECT_EQ(limit(64, 10, 16385).blocks, 2U);
}

TEST(Occupancy, IsNoneForABlockThatDoesNotFit) {
  EXPECT_EQ(limit(64, 10, 49153).blocks, 0U);
  EXPECT_EQ(limit(1024, 63, 0).blocks, 0U);
  EXPECT_EQ(limit(1024, 63, 0).reason, "registers");
}

TEST(Occupancy, RoomIsThereUntilTheLimitAndAgainWhenABlockHasGone) {
  const GpuParameters p = fermi();
  for (const std::uint32_t shared : {0u, 5000u, 20000u}) {
    for (const std::uint32_t threads : {32u, 200u, 1000u}) {
      const BlockNeeds needs = block_needs(threads, 24, ShortBytes(shared), p.core);
      CoreUse use;
      BlockPlace place;
      std::uint32_t blocks = 0;
      for (; use.has_room(needs, p.core); ++blocks) place = use.add(needs, p.core);
      EXPECT_EQ(blocks, occupancy_limit(needs, p.core).blocks) << threads << " " << shared;
      use.remove(place);
      EXPECT_TRUE(use.has_room(needs, p.core));
    }
  }
}

}  // namespace
}  // namespace raddle::machine::simt
