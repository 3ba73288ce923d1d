// The three policies, and the table of warps with its wheel of cycles to come.
#include "machine/simt/warp_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "machine/simt/fermi.h"

namespace raddle::machine::simt {
namespace {

using namespace unit_literals;

WarpSet set(std::initializer_list<std::uint32_t> warps) {
  WarpSet all = 0;
  for (const std::uint32_t warp : warps) all |= set_of(warp);
  return all;
}

// A scheduler of all warps of a table of eight, which are as old as their age says.
class Schedule {
 public:
  explicit Schedule(const std::string& policy, std::uint32_t active = 2)
      : parameters_(
            fermi({"core.policy=" + policy, "core.active_warps=" + std::to_string(active)})),
        scheduler_(parameters_.core, ~WarpSet{0}) {
    for (std::uint32_t warp = 0; warp < warps.size(); ++warp) {
      warps.add(warp);
      warps[warp].age = warp;
    }
  }
  std::uint32_t choose(std::initializer_list<std::uint32_t> candidates) {
    return scheduler_.choose(set(candidates), warps);
  }
  WarpSet eligible(std::initializer_list<std::uint32_t> ready) {
    for (const std::uint32_t warp : ready) warps.set_cause(warp, SlotUse::kIssued);
    return scheduler_.eligible(set(ready), warps);
  }

  WarpTable warps{8};

 private:
  GpuParameters parameters_;
  WarpScheduler scheduler_;
};

TEST(WarpScheduler, RoundRobinGoesToWhoeverComesBehindTheLast) {
  Schedule schedule("loose-round-robin");
  EXPECT_EQ(schedule.choose({1, 4, 6}), 1U);
  EXPECT_EQ(schedule.choose({1, 4, 6}), 4U);
  EXPECT_EQ(schedule.choose({1, 4, 6}), 6U);
  EXPECT_EQ(schedule.choose({1, 4, 6}), 1U);
  EXPECT_EQ(schedule.choose({0, 1}), 0U) << "loose: 2 to 7 are not ready";
}

TEST(WarpScheduler, GreedyStaysWithAWarpAndThenTakesTheOldest) {
  Schedule schedule("greedy-then-oldest");
  schedule.warps[1].age = 50;
  schedule.warps[5].age = 10;
  schedule.warps[6].age = 30;
  EXPECT_EQ(schedule.choose({1, 5, 6}), 5U);
  EXPECT_EQ(schedule.choose({1, 5, 6}), 5U);
  EXPECT_EQ(schedule.choose({1, 6}), 6U) << "5 cannot go on";
  EXPECT_EQ(schedule.choose({1, 5, 6}), 6U) << "stays, though 5 is older";
}

TEST(WarpScheduler, EveryReadyWarpIsEligibleButForTheTwoLevelPolicy) {
  for (const char* policy : {"loose-round-robin", "greedy-then-oldest"}) {
    Schedule schedule(policy);
    EXPECT_EQ(schedule.eligible({1, 2, 3, 7}), set({1, 2, 3, 7}));
  }
}

TEST(WarpScheduler, TwoLevelLetsOnlyTheActiveWarpsIssue) {
  Schedule schedule("two-level", 2);
  EXPECT_EQ(schedule.eligible({1, 2, 3, 4}), set({1, 2}));
  EXPECT_EQ(schedule.choose({1, 2}), 1U);
  EXPECT_EQ(schedule.choose({1, 2}), 2U);
  EXPECT_EQ(schedule.choose({1, 2}), 1U);
}

TEST(WarpScheduler, TwoLevelGivesThePlaceOfAWarpThatWaitsForMemoryToAnother) {
  Schedule schedule("two-level", 2);
  schedule.eligible({1, 2, 3, 4});
  schedule.choose({1, 2});
  schedule.warps.set_cause(1, SlotUse::kMemory);
  EXPECT_EQ(schedule.eligible({2, 3, 4}), set({2, 3}));
  EXPECT_EQ(schedule.eligible({1, 2, 3, 4}), set({2, 3})) << "1 has lost its place";
}

TEST(WarpScheduler, TwoLevelKeepsThePlaceOfAWarpThatWaitsForAResultOfTheAlu) {
  Schedule schedule("two-level", 2);
  schedule.eligible({1, 2, 3, 4});
  schedule.warps.set_cause(1, SlotUse::kAlu);
  EXPECT_EQ(schedule.eligible({2, 3, 4}), set({2}));
  EXPECT_EQ(schedule.eligible({1, 2, 3, 4}), set({1, 2}));
}

TEST(WarpScheduler, NeverTakesAWarpOfAnother) {
  const GpuParameters p = fermi();
  WarpTable warps(48);
  WarpScheduler scheduler(p.core, 0x5555555555555555);
  EXPECT_EQ(scheduler.eligible(set({0, 1, 2, 3}), warps), set({0, 2}));
}

TEST(WarpScheduler, TakesTheLastOfSixtyFourWarpsAndGoesOnWithTheFirst) {
  const GpuParameters p = fermi({"core.policy=loose-round-robin"});
  WarpTable warps(64);
  WarpScheduler scheduler(p.core, ~WarpSet{0});
  EXPECT_EQ(scheduler.choose(set({63}), warps), 63U);
  EXPECT_EQ(scheduler.choose(set({5, 63}), warps), 5U);
}

TEST(WarpTable, HoldsAWarpInExactlyOneSet) {
  WarpTable warps(4);
  warps.add(2);
  EXPECT_EQ(warps.waiting(SlotUse::kFetch), set({2}));
  warps.set_cause(2, SlotUse::kMemory);
  EXPECT_EQ(warps.waiting(SlotUse::kFetch), 0U);
  EXPECT_EQ(warps.waiting(SlotUse::kMemory), set({2}));
  warps.set_cause(2, SlotUse::kIssued);
  EXPECT_EQ(warps.ready(), set({2}));
  warps.remove(2);
  EXPECT_EQ(warps.ready(), 0U);
  EXPECT_EQ(warps[2].cause, SlotUse::kNoWarp);
}

TEST(WarpTable, KnowsTheOneUnitThatAWarpWants) {
  WarpTable warps(4);
  warps.set_unit(1, Unit::kSp);
  warps.set_unit(1, Unit::kMemory);
  EXPECT_EQ(warps.wants(Unit::kSp), 0U);
  EXPECT_EQ(warps.wants(Unit::kMemory), set({1}));
}

TEST(WarpTable, HasAWarpLookedAtInItsCycle) {
  WarpTable warps(4);
  warps.look_at(1, 105_cycles, 100_cycles);
  warps.look_at(2, 105_cycles, 100_cycles);
  warps.look_at(3, 107_cycles, 100_cycles);
  EXPECT_EQ(warps.next_due(100_cycles), 105_cycles);
  EXPECT_EQ(warps.take_due(104_cycles), 0U);
  EXPECT_EQ(warps.take_due(105_cycles), set({1, 2}));
  EXPECT_EQ(warps.take_due(105_cycles), 0U);
  EXPECT_EQ(warps.next_due(105_cycles), 107_cycles);
  EXPECT_EQ(warps.take_due(107_cycles), set({3}));
  EXPECT_EQ(warps.next_due(107_cycles), sim::kNever);
}

TEST(WarpTable, HasAWarpOfADistantCycleLookedAtBefore) {
  WarpTable warps(4);
  warps.look_at(1, 10'000_cycles, 100_cycles);
  EXPECT_EQ(warps.next_due(100_cycles), Cycle(100 + 255));
}

TEST(WarpTable, AgreesWithAPlainListOfCycles) {
  WarpTable warps(64);
  std::mt19937 random(7);
  std::multimap<Cycle, std::uint32_t> list;
  for (Cycle now; now < 20'000_cycles;) {
    for (std::uint32_t i = random() % 3; i > 0; --i) {
      const Cycle cycle = now + Cycle(1 + random() % (random() % 4 == 0 ? 255 : 20));
      const std::uint32_t warp = random() % 64;
      warps.look_at(warp, cycle, now);
      list.emplace(cycle, warp);
    }
    const Cycle next = list.empty() ? sim::kNever : list.begin()->first;
    ASSERT_EQ(warps.next_due(now), next) << now.count();
    now = list.empty() || random() % 2 == 0 ? now + 1_cycles : next;
    WarpSet due = 0;
    while (!list.empty() && list.begin()->first == now) {
      due |= set_of(list.begin()->second);
      list.erase(list.begin());
    }
    ASSERT_EQ(warps.take_due(now), due) << now.count();
  }
}

TEST(PendingResult, ComparesByCycleAndKnowsItsCause) {
  EXPECT_LT(PendingResult(10_cycles, PendingResult::kMemory),
            PendingResult(11_cycles, PendingResult::kAlu));
  EXPECT_EQ(PendingResult(10_cycles, PendingResult::kSfu).cause(), SlotUse::kSfu);
  EXPECT_EQ(PendingResult(10_cycles, PendingResult::kShared).cause(), SlotUse::kSharedMemory);
  EXPECT_TRUE(PendingResult::unknown(PendingResult::kMemory).is_unknown());
  EXPECT_LT(PendingResult(Cycle(1u << 30), PendingResult::kMemory),
            PendingResult::unknown(PendingResult::kAlu));
}

}  // namespace
}  // namespace raddle::machine::simt
