// How long single accesses take at a DRAM channel, and what they cost it, cycle by cycle.
#include <gtest/gtest.h>

#include "memory/dram_rig.h"

namespace raddle::memory {
namespace {

using Ticks = std::vector<std::uint64_t>;

TEST(DramLatency, OfAReadFromAClosedBankIsActivateColumnAndBurst) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7));
  EXPECT_EQ(rig.run(), (DramRig::Answers{{0, 100 + 11 + 10 + 2}}));
  EXPECT_EQ(rig.dram.stats().row_misses, 1U);
  EXPECT_EQ(rig.dram.stats().activates, 1U);
}

TEST(DramLatency, OfARowHitIsColumnAndBurst) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7, 0));
  rig.see_load(200, rig.place(2, 7, 5));
  EXPECT_EQ(rig.run()[1], 200U + 10 + 2);
  EXPECT_EQ(rig.dram.stats().row_hits, 1U);
  EXPECT_EQ(rig.dram.stats().activates, 1U);
}

TEST(DramLatency, OfARowConflictHasAPrechargeBefore) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(200, rig.place(2, 8));
  EXPECT_EQ(rig.run()[1], 200U + 13 + 11 + 10 + 2);
  EXPECT_EQ(rig.dram.stats().row_conflicts, 1U);
  EXPECT_EQ(rig.dram.stats().precharges, 1U);
}

TEST(DramLatency, OfAConflictRightBehindTheActivateWaitsForRasAndRc) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(101, rig.place(2, 8));
  // Activate 100, read 111, precharge 129 (tRAS), activate 143 (tRC), read 154.
  EXPECT_EQ(rig.run()[1], 143U + 11 + 10 + 2);
}

TEST(DramLatency, OfAConflictBehindAWriteWaitsForWr) {
  DramRig rig(small_part());
  rig.see_store(100, rig.place(2, 7));
  rig.see_store(120, rig.place(2, 7, 1));
  rig.see_load(121, rig.place(2, 8));
  // Write 120, its data end at 126, precharge 143 (tWR), activate 156, read 167.
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.at(1), 126U);
  EXPECT_EQ(answers.at(2), 167U + 10 + 2);
}

TEST(DramLatency, OfAReadBehindAWriteWaitsForTheTurnOfTheBus) {
  DramRig rig(small_part());
  rig.see_store(100, rig.place(2, 7));
  rig.see_load(101, rig.place(2, 7));
  // Activate 100, write 107, its data end at 113, read 119.
  EXPECT_EQ(rig.run()[1], 113U + 6 + 10 + 2);
}

TEST(DramLatency, OfAWriteBehindAReadWaitsForTheTurnOfTheBus) {
  DramRig rig(small_part());
  rig.see_load(50, rig.place(2, 7));
  rig.see_load(100, rig.place(2, 7));
  rig.see_store(101, rig.place(2, 7));
  EXPECT_EQ(rig.run()[2], 100U + 14 + 4 + 2);
}

TEST(DramLatency, OfTwoClosedBanksDiffersByRrdAndCommandsShareTheBus) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(0, 7));
  rig.see_load(101, rig.place(1, 7));
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.at(0), 100U + 11 + 10 + 2);
  EXPECT_EQ(answers.at(1), 105U + 11 + 10 + 2);
}

TEST(DramLatency, OfALongAccessEndsWithItsLastBurst) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7), 256);
  EXPECT_EQ(rig.run()[0], 100U + 11 + 10 + 4 * 2);
  EXPECT_EQ(rig.dram.stats().read_bursts, 4U);
  EXPECT_EQ(rig.dram.stats().reads, 1U);
  EXPECT_EQ(rig.dram.stats().bytes, 256U);
  EXPECT_EQ(rig.dram.stats().bus_busy_cycles, Cycle(8));
}

TEST(DramLatency, OfAnAccessOverTwoBurstsCountsBoth) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7) + Bytes(60), 8);
  EXPECT_EQ(rig.run()[0], 100U + 11 + 10 + 2 * 2);
}

TEST(DramLatency, OfAnAtomicIsThatOfItsReadAndTheWriteFollows) {
  DramRig rig(small_part());
  rig.see(100, AccessKind::kAtomic, rig.place(2, 7), 4);
  rig.see_load(101, rig.place(2, 7));
  // Activate 100, read 111; the second read 113; write 113 + 14 = 127.
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers, (DramRig::Answers{{0, 123}, {1, 125}}));
  EXPECT_EQ(rig.dram.stats().reads, 2U);
  EXPECT_EQ(rig.dram.stats().writes, 1U);
  EXPECT_EQ(rig.dram.stats().bytes, 24U);
  EXPECT_EQ(rig.dram.stats().write_bursts, 1U);
}

TEST(DramLatency, IsAnsweredForStoresButNotForWriteBacks) {
  DramRig rig(small_part());
  rig.see_store(100, rig.place(2, 7));
  rig.see(200, AccessKind::kWriteBack, rig.place(2, 7), 64);
  EXPECT_EQ(rig.run(), (DramRig::Answers{{0, 100 + 7 + 4 + 2}}));
  EXPECT_EQ(rig.dram.stats().writes, 2U);
}

TEST(DramPages, AreClosedAfterTheirLastUseUnderTheClosedPolicy) {
  DramSpec spec = small_part();
  spec.page_policy = PagePolicy::kClosed;
  DramRig rig(spec);
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(200, rig.place(2, 7));  // closed meanwhile: a miss
  rig.see_load(300, rig.place(2, 8));  // closed meanwhile: no conflict
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.at(1), 200U + 11 + 10 + 2);
  EXPECT_EQ(answers.at(2), 300U + 11 + 10 + 2);
  EXPECT_EQ(rig.dram.stats().row_misses, 3U);
  EXPECT_EQ(rig.dram.stats().precharges, 3U);
}

TEST(DramPages, StayOpenUnderTheClosedPolicyWhileSomebodyWaitsForThem) {
  DramSpec spec = small_part();
  spec.page_policy = PagePolicy::kClosed;
  DramRig rig(spec);
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(101, rig.place(2, 7, 1));
  rig.see_load(102, rig.place(2, 8));
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.at(1), 113U + 10 + 2);
  // It closes at 129 (tRAS): the next activate is held back by tRC until 143.
  EXPECT_EQ(answers.at(2), 143U + 11 + 10 + 2);
  EXPECT_EQ(rig.dram.stats().row_hits, 1U);
}

DramSpec refreshed_part() {
  DramSpec spec = small_part();
  spec.timing.t_refi = Cycle(1000);
  spec.timing.t_rfc = Cycle(80);
  return spec;
}

TEST(DramRefresh, HoldsUpWhatIsWaiting) {
  DramRig rig(refreshed_part());
  rig.see_load(950, rig.place(2, 7));
  rig.see_load(1000, rig.place(2, 7));
  // Precharge all 1000, refresh 1013, activate 1093.
  EXPECT_EQ(rig.run()[1], 1000U + 13 + 80 + 11 + 10 + 2);
  EXPECT_EQ(rig.dram.stats().refreshes, 1U);
  EXPECT_EQ(rig.dram.stats().precharges, 1U);
}

TEST(DramRefresh, WaitsForTheBanksThatMayNotCloseYet) {
  DramRig rig(refreshed_part());
  rig.see_load(990, rig.place(2, 7));
  rig.see_load(991, rig.place(2, 8));
  // Activate 990; precharge all 1019 (tRAS), refresh 1033 (tRC), activate 1113.
  EXPECT_EQ(rig.run()[1], 1033U + 80 + 11 + 10 + 2 + 43);
}

TEST(DramRefresh, IsCaughtUpWithAfterASleep) {
  DramRig rig(refreshed_part());
  rig.see_load(500, rig.place(2, 7));
  rig.see_load(5500, rig.place(2, 7));  // refreshes at 1000 … 5000 have closed its row
  EXPECT_EQ(rig.run()[1], 5500U + 11 + 10 + 2);
  EXPECT_EQ(rig.dram.stats().refreshes, 5U);
  EXPECT_EQ(rig.dram.stats().precharges, 1U);
  EXPECT_EQ(rig.dram.stats().row_misses, 2U);
  // It slept: nothing was ticked in between.
  EXPECT_EQ(rig.dram.ticks, (Ticks{500, 511, 523, 5500, 5511, 5523}));
  rig.dram.settle(Cycle(12'345));
  EXPECT_EQ(rig.dram.stats().refreshes, 12U);
}

TEST(DramRefresh, ThatIsUnderWayHoldsUpWhoComes) {
  DramRig rig(refreshed_part());
  rig.see_load(5030, rig.place(2, 7));  // the refresh began at 5000
  EXPECT_EQ(rig.run()[0], 5080U + 11 + 10 + 2);
}

TEST(DramRefresh, ThatBeganWithAPrechargeHoldsUpWhoComes) {
  DramRig rig(refreshed_part());
  rig.see_load(500, rig.place(2, 7));
  rig.see_load(1005, rig.place(2, 7));  // precharge all 1000, refresh 1013
  EXPECT_EQ(rig.run()[1], 1013U + 80 + 11 + 10 + 2);
}

TEST(DramRefresh, KeepsItsAverageRateUnderLoad) {
  DramSpec spec = refreshed_part();
  DramRig rig(spec);
  for (std::uint32_t i = 0; i < 4000; ++i) rig.see_load(10 + i * 5, rig.place(i % 4, i / 64, 3));
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.size(), 4000U);
  EXPECT_EQ(rig.dram.stats().refreshes, rig.taken().back().first / 1000);
}

TEST(DramSleep, EndsWhenAnAnswerHasLeftThatStoodInTheWay) {
  DramSpec spec = small_part();
  spec.answer_entries = 2;
  DramRig rig(spec, Cycle(100), 8);
  rig.see_load(10, rig.place(2, 7));
  for (std::uint32_t i = 0; i < 6; ++i) rig.see_load(100, rig.place(2, 7, i));
  const DramRig::Answers answers = rig.run();
  // With two places for answers no more is read until one has left: the taker sets the pace.
  EXPECT_EQ(answers.size(), 7U);
  EXPECT_EQ(rig.dram.stats().read_bursts, 7U);
  EXPECT_EQ(rig.taken().back().first - rig.taken().front().first, 600U);
}

TEST(DramSleep, LastsUntilTheNextCommandCanBeIssued) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(101, rig.place(2, 8));
  rig.run();
  // Activate; the second request comes; read; answer; precharge; activate; read; answer.
  EXPECT_EQ(rig.dram.ticks, (Ticks{100, 101, 111, 123, 129, 143, 154, 166}));
}

TEST(DramStats, CanBeSettledWhileRequestsWait) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(101, rig.place(2, 8));
  rig.run_until(Cycle(130));
  rig.dram.settle(Cycle(140));
  EXPECT_EQ(rig.dram.stats().waiting_cycles, 40U);
  EXPECT_EQ(rig.dram.stats().occupancy_sum, 11U + 39U);
}

TEST(DramStats, SumTheTimeThatRequestsWait) {
  DramRig rig(small_part());
  rig.see_load(100, rig.place(2, 7));
  rig.see_load(101, rig.place(2, 8));
  rig.run();
  rig.dram.settle(Cycle(1000));
  // The first leaves the queue with its read at 111, the second with its at 154.
  EXPECT_EQ(rig.dram.stats().waiting_cycles, 54U);
  EXPECT_EQ(rig.dram.stats().occupancy_sum, 11U + 53U);
}

}  // namespace
}  // namespace raddle::memory
