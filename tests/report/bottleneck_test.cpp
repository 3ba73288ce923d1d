#include "report/bottleneck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace raddle::report {
namespace {

experiment::RunResult run_with(std::vector<machine::Share> stalls,
                               std::vector<machine::Utilisation> units = {}) {
  experiment::RunResult result;
  result.machine = "fermi";
  result.totals.launches = 1;
  result.totals.cycles = 1000;
  result.totals.warp_instructions = 300;
  result.totals.stalls = std::move(stalls);
  result.totals.utilisation = std::move(units);
  return result;
}

TEST(Bottleneck, NamesTheCauseMostSlotsWaitForAndHowBusyItWas) {
  EXPECT_EQ(
      bottleneck_sentence(run_with({{"issued", 300}, {"wait: barrier", 80}, {"wait: DRAM", 620}},
                                   {{"L2", 400, 1000}, {"DRAM", 910, 1000}})),
      "62% of issue slots wait for DRAM; DRAM is at 91% of its peak");
}

TEST(Bottleneck, TellsLatencyFromBandwidth) {
  EXPECT_EQ(
      bottleneck_sentence(run_with({{"issued", 380}, {"wait: DRAM", 620}}, {{"dram", 120, 1000}})),
      "62% of issue slots wait for DRAM; dram is at 12% of its peak: latency, not bandwidth");
}

TEST(Bottleneck, NamesTheBusiestUnitWhereTheCauseIsNone) {
  const std::vector<machine::Share> stalls{{"issued", 450}, {"wait: operands", 550}};
  EXPECT_EQ(bottleneck_sentence(run_with(stalls, {{"DRAM", 100, 1000}, {"L2", 850, 1000}})),
            "55% of issue slots wait for operands; L2 is at 85% of its peak");
  EXPECT_EQ(bottleneck_sentence(run_with(stalls, {{"DRAM", 100, 1000}, {"L2", 400, 1000}})),
            "55% of issue slots wait for operands");
  EXPECT_EQ(bottleneck_sentence(run_with(stalls)), "55% of issue slots wait for operands");
}

TEST(Bottleneck, SaysWhenAMachineMostlyIssues) {
  EXPECT_EQ(bottleneck_sentence(run_with({{"issued", 940}, {"wait: DRAM", 60}})),
            "issues in 94% of its slots; bound by issue");
  EXPECT_EQ(bottleneck_sentence(run_with({{"issued", 10}})),
            "issues in 100% of its slots; bound by issue");
}

TEST(Bottleneck, ListsTheCausesWhereNoneStandsOut) {
  EXPECT_EQ(bottleneck_sentence(run_with({{"issued", 450},
                                          {"wait: barrier", 180},
                                          {"wait: DRAM", 200},
                                          {"wait: operands", 120},
                                          {"wait: L2", 50}})),
            "no single bottleneck: 45% of issue slots issue, 20% wait for DRAM, 18% for barrier, "
            "12% for operands");
}

TEST(Bottleneck, SpeaksOfUnitsWhereThereAreNoWarps) {
  experiment::RunResult result = run_with({{"issued", 120},
                                           {"wait: memory", 10},
                                           {"wait: no thread", 130},
                                           {"wait: reconfiguring", 100},
                                           {"wait: not mapped", 640}},
                                          {{"ALU units", 200, 1000}});
  result.totals.thread_instructions = 5000;
  result.totals.warp_instructions = 0;
  EXPECT_EQ(bottleneck_sentence(result),
            "units fire in 12% of their cycles; 64% not mapped, 13% no thread, 10% reconfiguring");
  result.totals.utilisation[0].busy = 700;
  EXPECT_THAT(bottleneck_sentence(result),
              testing::EndsWith("; ALU units are at 70% of their peak"));
  result.totals.stats = {{"bound", "alu", "cycles", "", 300},
                         {"bound", "cycles", "cycles", "", 450}};
  EXPECT_THAT(bottleneck_sentence(result),
              testing::EndsWith("; with any mapping its operations take 45% of these cycles or "
                                "more"));
}

TEST(Bottleneck, SaysWhenThereIsNoTimingModel) {
  experiment::RunResult result = run_with({});
  EXPECT_EQ(bottleneck_sentence(result), "fermi does not say what its cycles were spent on");
  result.machine = "ref";
  result.totals.warp_instructions = result.totals.cycles;
  EXPECT_EQ(bottleneck_sentence(result), "ref models no timing: cycles are warp instructions");
  result.totals.stalls = {{"issued", 0}, {"wait: DRAM", 0}};
  EXPECT_EQ(bottleneck_sentence(result), "ref models no timing: cycles are warp instructions");
}

TEST(Bottleneck, SaysNothingOfARunWithoutLaunches) {
  EXPECT_EQ(bottleneck_sentence(experiment::RunResult()), "");
}

TEST(Bottleneck, TakesCausesWithAndWithoutTheWordWait) {
  EXPECT_EQ(stall_cause("wait: DRAM"), "DRAM");
  EXPECT_EQ(stall_cause("DRAM"), "DRAM");
  EXPECT_EQ(stall_cause("issued"), "issued");
}

}  // namespace
}  // namespace raddle::report
