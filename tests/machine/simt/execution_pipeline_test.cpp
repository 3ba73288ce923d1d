// From issue to write-back, cycle by cycle. An addition of fermi that nothing disturbs reads its
// operands 2 cycles after issue, begins 3 cycles later, takes 4 and can be used 1 after that: 10.
#include "machine/simt/execution_pipeline.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "machine/simt/fermi.h"

namespace raddle::machine::simt {
namespace {

using namespace unit_literals;

constexpr Cycle kAddition{2 + 3 + 4 + 1};

IssueInfo instruction(Unit unit, std::uint32_t latency, std::uint32_t interval,
                      std::initializer_list<std::uint8_t> reads = {},
                      std::initializer_list<std::uint8_t> writes = {0}) {
  IssueInfo info;
  info.unit = unit;
  info.latency = ShortCycle(latency);
  info.interval = ShortCycle(interval);
  for (const std::uint8_t r : reads) info.read_registers[info.read_count++] = r;
  for (const std::uint8_t r : writes) {
    info.write_registers[info.write_bank_count++] = r;
    info.writes[info.write_count++] = r;
  }
  return info;
}
IssueInfo addition(std::initializer_list<std::uint8_t> reads = {},
                   std::initializer_list<std::uint8_t> writes = {0}) {
  return instruction(Unit::kSp, 4, 1, reads, writes);
}
IssueInfo root() { return instruction(Unit::kSfu, 39, 4); }

TEST(ExecutionPipeline, HasTheResultOfAnAdditionTenCyclesAfterIssue) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(addition({1, 2}), 0, 100_cycles), 100_cycles + kAddition);
}

TEST(ExecutionPipeline, AddsUpTheStagesThatTheTableNames) {
  const GpuParameters p =
      fermi({"operands.issue_to_read=7", "operands.read_to_execute=5", "latency.integer_add=9"});
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(instruction(Unit::kSp, 9, 1), 0, 0_cycles), Cycle(7 + 5 + 9 + 1));
}

TEST(ExecutionPipeline, AnInstructionWithoutResultIsDoneInTheNextCycle) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(addition({1}, {}), 0, 5_cycles), 6_cycles);
}

// Sharing paper §V-B2: a warp's operands and its collector lie in one physical SM.
TEST(ExecutionPipeline, WarpsWithLentRegistersHaveBanksAndCollectorsOfTheirOwn) {
  GpuParameters p = fermi();
  p.core.lent.register_banks = 8;
  p.core.lent.sp_collectors = 3;
  p.core.lent.sfu_collectors = 4;
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(addition({0, 1}), 0, 0_cycles), kAddition);
  // The same registers, but in the lender: no bank is taken twice.
  EXPECT_EQ(pipeline.issue_lent(addition({0, 1}), 48, 0_cycles), kAddition);
  EXPECT_EQ(pipeline.bank_conflicts(), 0_cycles);
  // Of eight lent banks, registers 0 and 8 share one.
  EXPECT_EQ(pipeline.issue_lent(addition({0, 8}), 48, 100_cycles),
            100_cycles + kAddition + 1_cycles);
  // Three lent collectors are taken; the SM's own are free.
  for (int i = 0; i < 3; ++i) pipeline.issue_lent(addition({1, 2}), 48, 200_cycles);
  EXPECT_FALSE(pipeline.has_lent_collector(Unit::kSp, 200_cycles));
  EXPECT_TRUE(pipeline.has_collector(Unit::kSp, 200_cycles));
}

TEST(ExecutionPipeline, ReadsOperandsOfOneBankOneAfterTheOther) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(addition({0, 16}), 0, 0_cycles), kAddition + 1_cycles);
  EXPECT_EQ(pipeline.bank_conflicts(), 1_cycles);
  EXPECT_EQ(pipeline.issue(addition({0, 16, 32}), 0, 100_cycles),
            100_cycles + kAddition + 2_cycles);
  EXPECT_EQ(pipeline.bank_conflicts(), Cycle(1 + 1 + 2));
}

TEST(ExecutionPipeline, PutsTheSameRegisterOfNeighbouringWarpsIntoNeighbouringBanks) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(addition({3}, {8}), 0, 0_cycles), kAddition);
  EXPECT_EQ(pipeline.issue(addition({3}, {8}), 1, 0_cycles), kAddition);
  EXPECT_EQ(pipeline.bank_conflicts(), 0_cycles);
  EXPECT_EQ(pipeline.issue(addition({2}, {}), 1, 0_cycles),
            1_cycles);  // bank 3, which warp 0 reads
  EXPECT_EQ(pipeline.bank_conflicts(), 1_cycles);
}

TEST(ExecutionPipeline, LetsAResultGoBeforeAReadOfItsBank) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  // Written in cycle 9, so that it can be used from 10 on.
  EXPECT_EQ(pipeline.issue(addition({}, {3}), 0, 0_cycles), 10_cycles);
  EXPECT_EQ(pipeline.issue(addition({3}, {5}), 0, 7_cycles), 7_cycles + kAddition + 1_cycles)
      << "reads in 9";
  EXPECT_EQ(pipeline.bank_conflicts(), 1_cycles);
}

TEST(ExecutionPipeline, StartsTwoAdditionsACycleOnTwoUnits) {
  const GpuParameters p = fermi({"operands.writebacks=16"});
  ExecutionPipeline pipeline(p.core);
  const Cycle at[] = {
      pipeline.issue(addition(), 0, 0_cycles), pipeline.issue(addition(), 1, 0_cycles),
      pipeline.issue(addition(), 2, 0_cycles), pipeline.issue(addition(), 3, 0_cycles),
      pipeline.issue(addition(), 4, 0_cycles)};
  EXPECT_EQ(at[0], kAddition);
  EXPECT_EQ(at[1], kAddition);
  EXPECT_EQ(at[2], kAddition + 1_cycles);
  EXPECT_EQ(at[3], kAddition + 1_cycles);
  EXPECT_EQ(at[4], kAddition + 2_cycles);
  EXPECT_EQ(pipeline.sp_busy(), 5_cycles);
}

// Eight double divisions in a queue take more than a thousand cycles; so far ahead nothing may be
// forgotten of what is booked nearer.
TEST(ExecutionPipeline, KeepsWhatIsBookedNearAndFarApart) {
  const GpuParameters p = fermi({"operands.writebacks=1"});
  ExecutionPipeline pipeline(p.core);
  const IssueInfo division = instruction(Unit::kSfu, 330, 130);
  Cycle last;
  for (std::uint32_t warp = 0; warp < 8; ++warp) last = pipeline.issue(division, warp, 0_cycles);
  EXPECT_EQ(last, Cycle(2 + 3 + 7 * 130 + 330 + 1));
  // The port of a cycle that lies 1024 before and after it.
  const IssueInfo load = instruction(Unit::kMemory, 1, 1);
  for (const Cycle at : {last - 1_cycles - 1024_cycles, last - 1_cycles}) {
    const Cycle first = pipeline.write_back(load, 0, at);
    EXPECT_EQ(pipeline.write_back(load, 0, at), first + 1_cycles) << "one result a cycle";
  }
  EXPECT_EQ(pipeline.write_back(load, 0, last - 1_cycles - 1024_cycles),
            last - 1024_cycles + 2_cycles)
      << "still taken";
}

TEST(ExecutionPipeline, KeepsAUnitForTheIntervalOfTheOperation) {
  const GpuParameters p = fermi({"units.sp=1"});
  ExecutionPipeline pipeline(p.core);
  const IssueInfo multiply = instruction(Unit::kSp, 4, 2);
  EXPECT_EQ(pipeline.issue(multiply, 0, 0_cycles), 10_cycles);
  EXPECT_EQ(pipeline.issue(multiply, 1, 0_cycles), 12_cycles);
  EXPECT_EQ(pipeline.issue(multiply, 2, 0_cycles), 14_cycles);
  EXPECT_EQ(pipeline.sp_busy(), 6_cycles);
}

TEST(ExecutionPipeline, LetsALaterInstructionHaveAGapThatAnEarlierOneCouldNotUse) {
  const GpuParameters p = fermi({"units.sp=1"});
  ExecutionPipeline pipeline(p.core);
  // Its operands come so late that another one is through before.
  EXPECT_EQ(pipeline.issue(addition({0, 16, 32, 48}, {1}), 0, 0_cycles), kAddition + 3_cycles);
  EXPECT_EQ(pipeline.issue(addition({}, {2}), 0, 1_cycles), 1_cycles + kAddition);
}

TEST(ExecutionPipeline, StartsOperationsOfTheSfuInOrderEveryFourCycles) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(root(), 0, 0_cycles), Cycle(2 + 3 + 39 + 1));
  EXPECT_EQ(pipeline.issue(root(), 1, 1_cycles), Cycle(45 + 4));
  EXPECT_EQ(pipeline.issue(root(), 2, 30_cycles), Cycle(30 + 45)) << "free again";
  EXPECT_EQ(pipeline.sfu_busy(), 12_cycles);
}

TEST(ExecutionPipeline, UsesAllSfusThatThereAre) {
  const GpuParameters p = fermi({"units.sfu=2"});
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(root(), 0, 0_cycles), 45_cycles);
  EXPECT_EQ(pipeline.issue(root(), 1, 0_cycles), 45_cycles);
  EXPECT_EQ(pipeline.issue(root(), 2, 0_cycles), 49_cycles);
}

TEST(ExecutionPipeline, WritesTwoResultsACycle) {
  const GpuParameters p = fermi({"units.sp=4"});
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.issue(addition(), 0, 0_cycles), 10_cycles);
  EXPECT_EQ(pipeline.issue(addition(), 1, 0_cycles), 10_cycles);
  EXPECT_EQ(pipeline.issue(addition(), 2, 0_cycles), 11_cycles);
  EXPECT_EQ(pipeline.issue(addition(), 3, 0_cycles), 11_cycles);
  EXPECT_EQ(pipeline.write_back(addition(), 4, 9_cycles), 10_cycles) << "from memory: another port";
  EXPECT_EQ(pipeline.write_back(addition(), 5, 9_cycles), 11_cycles) << "one a cycle";
}

TEST(ExecutionPipeline, AnSpUnitGivesOneResultACycle) {
  const auto second_result = [](const char* setting) {
    const GpuParameters p = fermi({"units.sp=1", setting});
    ExecutionPipeline pipeline(p.core);
    IssueInfo quick = addition();
    quick.latency = ShortCycle(3);
    EXPECT_EQ(pipeline.issue(addition(), 0, 0_cycles), 10_cycles);
    return pipeline.issue(quick, 1, 1_cycles);
  };
  // It would be there in the same cycle as the first: it waits before the unit …
  EXPECT_EQ(second_result("units.reserve_results=true"), 11_cycles);
  // … or takes the second port.
  EXPECT_EQ(second_result("units.reserve_results=false"), 10_cycles);
}

TEST(ExecutionPipeline, ACollectorMayReceiveOneOperandACycle) {
  IssueInfo sum = addition();
  sum.read_count = 2;
  sum.read_registers = {1, 2};
  const auto result = [&](const char* setting) {
    const GpuParameters p = fermi({setting});
    ExecutionPipeline pipeline(p.core);
    return pipeline.issue(sum, 0, 0_cycles);
  };
  EXPECT_EQ(result("operands.reads_per_collector=1"),
            result("operands.reads_per_collector=0") + 1_cycles);
}

TEST(ExecutionPipeline, ACollectorThatReceivesOneOperandACycleWaitsForEarlierOnes) {
  const GpuParameters p = fermi({"operands.reads_per_collector=1"});
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.collect(addition({1}), 0, 0_cycles), 5_cycles);
  EXPECT_EQ(pipeline.collect(addition({1}), 0, 0_cycles), 6_cycles);
  // Its first operand comes in cycle 4, its second in 3.
  EXPECT_EQ(pipeline.collect(addition({1, 2}), 0, 0_cycles), 7_cycles);
}

TEST(ExecutionPipeline, HoldsACollectorUntilTheOperandsAreOnTheirWayToTheUnit) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  for (std::uint32_t i = 0; i < p.core.sp_collectors; ++i) {
    EXPECT_TRUE(pipeline.has_collector(Unit::kSp, 0_cycles));
    pipeline.issue(addition(), i, 0_cycles);
  }
  // The first two begin in cycle 5; their collectors were left one cycle after the read in 2.
  EXPECT_FALSE(pipeline.has_collector(Unit::kSp, 0_cycles));
  EXPECT_FALSE(pipeline.has_collector(Unit::kSp, 2_cycles));
  EXPECT_TRUE(pipeline.has_collector(Unit::kSp, 3_cycles));
  EXPECT_TRUE(pipeline.has_collector(Unit::kSfu, 0_cycles)) << "these have their own";
}

TEST(ExecutionPipeline, SixCollectorsAreEnoughForTwoAdditionsInEveryCycle) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  for (Cycle cycle; cycle < 100_cycles; ++cycle) {
    for (std::uint32_t scheduler = 0; scheduler < 2; ++scheduler) {
      ASSERT_TRUE(pipeline.has_collector(Unit::kSp, cycle)) << cycle.count();
      ASSERT_EQ(pipeline.issue(addition(), scheduler, cycle), cycle + kAddition);
    }
  }
}

TEST(ExecutionPipeline, TellsAUnitThatIsBehindFromOperandsThatAre) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  for (std::uint32_t i = 0; i < p.core.sfu_collectors; ++i) pipeline.issue(root(), i, 0_cycles);
  EXPECT_FALSE(pipeline.has_collector(Unit::kSfu, 0_cycles));
  EXPECT_TRUE(pipeline.unit_is_behind(Unit::kSfu, 0_cycles));
  EXPECT_FALSE(pipeline.unit_is_behind(Unit::kSp, 0_cycles));
}

TEST(ExecutionPipeline, ForgetsWhatHasPassed) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  // Every one finds the pipeline as the first did, however much time lies between.
  Cycle now;
  for (const Cycle passes :
       {1'024_cycles, 1'025_cycles, 2'048_cycles, 5'000_cycles, 40_cycles, 1'023_cycles}) {
    EXPECT_EQ(pipeline.issue(addition({0, 1}), 0, now), now + kAddition);
    EXPECT_EQ(pipeline.issue(addition({2, 3}), 0, now), now + kAddition) << "on the other unit";
    EXPECT_EQ(pipeline.issue(addition({4, 5}), 0, now), now + kAddition + 1_cycles)
        << "no third unit";
    now += passes;
  }
  EXPECT_EQ(pipeline.bank_conflicts(), 0_cycles);
}

TEST(ExecutionPipeline, CollectsOperandsOfMemoryInstructionsThroughTheSameBanks) {
  const GpuParameters p = fermi();
  ExecutionPipeline pipeline(p.core);
  EXPECT_EQ(pipeline.collect(addition({0}), 0, 0_cycles), 5_cycles);
  EXPECT_EQ(pipeline.collect(addition({0}), 0, 0_cycles), 6_cycles);
}

}  // namespace
}  // namespace raddle::machine::simt
