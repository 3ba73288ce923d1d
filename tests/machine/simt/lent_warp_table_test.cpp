#include "machine/simt/lent_warp_table.h"

#include <gtest/gtest.h>

namespace raddle::machine::simt {
namespace {

using namespace unit_literals;

TEST(LentWarpTable, GivesEachSchedulerATableOfItsWarps) {
  LentWarpTable warps(96, 2);
  EXPECT_EQ(warps.size(), 96U);
  warps.add(95);
  warps.set_cause(95, SlotUse::kIssued);
  EXPECT_EQ(warps.of(0).ready(), 0U);
  EXPECT_EQ(warps.of(1).ready(), set_of(47));
  EXPECT_EQ(warps.slot_of(1, 47), 95U);
  warps[95].age = 7;
  EXPECT_EQ(warps.of(1)[47].age, 7U);
}

TEST(LentWarpTable, TellsWhetherAWarpIsReadyForMoreThanMemory) {
  LentWarpTable warps(96, 2);
  EXPECT_FALSE(warps.any_ready(false));
  warps.add(70);
  warps.set_unit(70, Unit::kMemory);
  warps.set_cause(70, SlotUse::kIssued);
  EXPECT_TRUE(warps.any_ready(false));
  EXPECT_FALSE(warps.any_ready(true));
  warps.remove(70);
  EXPECT_FALSE(warps.any_ready(false));
}

TEST(LentWarpTable, LooksAtSlotsBeyondTheSixtyFourthInTheirCycle) {
  LentWarpTable warps(96, 2);
  warps.look_at(3, 12_cycles, 10_cycles);
  warps.look_at(90, 12_cycles, 10_cycles);
  EXPECT_EQ(warps.next_due(10_cycles), 12_cycles);
  WideSet due = warps.take_due(12_cycles);
  EXPECT_EQ(lowest_of(due), 3U);
  due &= due - 1;
  EXPECT_EQ(lowest_of(due), 90U);
  EXPECT_TRUE(warps.take_due(12_cycles) == 0);
}

}  // namespace
}  // namespace raddle::machine::simt
