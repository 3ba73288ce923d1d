#include "report/bottleneck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace raddle::report {
namespace {

experiment::RunResult run_with(std::vector<machine::Stall> stalls,
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
  EXPECT_EQ(bottleneck_sentence(run_with({{"issued", machine::CycleKind::kIssued, 300},
                                          {"barrier", machine::CycleKind::kStall, 80},
                                          {"DRAM", machine::CycleKind::kStall, 620}},
                                         {{"L2", 400, 1000}, {"memory", 910, 1000, "DRAM"}})),
            "62% of issue slots stall on DRAM; memory is at 91% of its peak");
}

TEST(Bottleneck, TellsLatencyFromBandwidth) {
  EXPECT_EQ(
      bottleneck_sentence(run_with(
          {{"issued", machine::CycleKind::kIssued, 380}, {"DRAM", machine::CycleKind::kStall, 620}},
          {{"memory", 120, 1000, "DRAM"}})),
      "62% of issue slots stall on DRAM; memory is at 12% of its peak: latency, not bandwidth");
}

TEST(Bottleneck, NamesTheBusiestUnitWhereTheCauseIsNone) {
  const std::vector<machine::Stall> stalls{{"issued", machine::CycleKind::kIssued, 450},
                                           {"operands", machine::CycleKind::kStall, 550}};
  EXPECT_EQ(bottleneck_sentence(run_with(stalls, {{"DRAM", 100, 1000}, {"L2", 850, 1000}})),
            "55% of issue slots stall on operands; L2 is at 85% of its peak");
  EXPECT_EQ(bottleneck_sentence(run_with(stalls, {{"DRAM", 100, 1000}, {"L2", 400, 1000}})),
            "55% of issue slots stall on operands");
  EXPECT_EQ(bottleneck_sentence(run_with(stalls)), "55% of issue slots stall on operands");
}

TEST(Bottleneck, SaysWhenAMachineMostlyIssues) {
  EXPECT_EQ(bottleneck_sentence(run_with({{"issued", machine::CycleKind::kIssued, 940},
                                          {"DRAM", machine::CycleKind::kStall, 60}})),
            "issues in 94% of its slots; issue-bound");
  EXPECT_EQ(bottleneck_sentence(run_with({{"issued", machine::CycleKind::kIssued, 10}})),
            "issues in 100% of its slots; issue-bound");
}

TEST(Bottleneck, ListsTheCausesWhereNoneStandsOut) {
  EXPECT_EQ(
      bottleneck_sentence(run_with({{"issued", machine::CycleKind::kIssued, 450},
                                    {"barrier", machine::CycleKind::kStall, 180},
                                    {"DRAM", machine::CycleKind::kStall, 200},
                                    {"operands", machine::CycleKind::kStall, 120},
                                    {"L2", machine::CycleKind::kStall, 50}})),
      "no single bottleneck: 45% of issue slots issue, 20% stall on DRAM, 18% stall on barrier, "
      "12% stall on operands");
}

TEST(Bottleneck, SpeaksOfUnitsWhereThereAreNoWarps) {
  experiment::RunResult result = run_with({{"issued", machine::CycleKind::kIssued, 120},
                                           {"memory", machine::CycleKind::kStall, 10},
                                           {"no thread", machine::CycleKind::kIdle, 130},
                                           {"reconfiguration", machine::CycleKind::kOverhead, 100},
                                           {"unmapped", machine::CycleKind::kIdle, 640}},
                                          {{"ALU units", 200, 1000}});
  result.totals.thread_instructions = 5000;
  result.totals.warp_instructions = 0;
  EXPECT_EQ(bottleneck_sentence(result),
            "units fire in 12% of their cycles; 64% unmapped, 13% no thread, 10% reconfiguration");
  result.totals.utilisation[0].busy = 700;
  EXPECT_THAT(bottleneck_sentence(result),
              testing::EndsWith("; ALU units are at 70% of their peak"));
  result.totals.bound_cycles = 450;
  EXPECT_THAT(bottleneck_sentence(result),
              testing::EndsWith("; lower bound for any mapping: 45% of these cycles"));
}

TEST(Bottleneck, SaysWhenThereIsNoTimingModel) {
  experiment::RunResult result = run_with({});
  EXPECT_EQ(bottleneck_sentence(result), "fermi does not say what its cycles were spent on");
  result.machine = "ref";
  result.totals.warp_instructions = result.totals.cycles;
  EXPECT_EQ(bottleneck_sentence(result), "ref has no timing model: cycles are warp instructions");
  result.totals.stalls = {{"issued", machine::CycleKind::kIssued, 0},
                          {"DRAM", machine::CycleKind::kStall, 0}};
  EXPECT_EQ(bottleneck_sentence(result), "ref has no timing model: cycles are warp instructions");
}

TEST(Bottleneck, SaysNothingOfARunWithoutLaunches) {
  EXPECT_EQ(bottleneck_sentence(experiment::RunResult()), "");
}

TEST(Bottleneck, SaysWhatKindOfCauseLeads) {
  const auto sentence = [](const char* cause, machine::CycleKind kind) {
    return bottleneck_sentence(
        run_with({{"issued", machine::CycleKind::kIssued, 100}, {cause, kind, 900}}));
  };
  EXPECT_EQ(sentence("barrier", machine::CycleKind::kStall), "90% of issue slots stall on barrier");
  EXPECT_EQ(sentence("no resident warp", machine::CycleKind::kIdle),
            "90% of issue slots are idle (no resident warp)");
  EXPECT_EQ(sentence("divergence", machine::CycleKind::kOverhead),
            "90% of issue slots go to divergence");
}

TEST(Bottleneck, TellsHowBusyTheUnitIsThatTheCauseWaitsFor) {
  EXPECT_EQ(bottleneck_sentence(
                run_with({{"issued", machine::CycleKind::kIssued, 100},
                          {"long scoreboard (memory)", machine::CycleKind::kStall, 900}},
                         {{"L2", 900, 1000}, {"memory", 700, 1000, "long scoreboard (memory)"}})),
            "90% of issue slots stall on long scoreboard (memory); memory is at 70% of its peak");
}

TEST(Bottleneck, NamesTheLargestCauseButWhatWasIssued) {
  EXPECT_EQ(main_cause({{"fired", machine::CycleKind::kIssued, 60},
                        {"operand wait", machine::CycleKind::kStall, 10},
                        {"unmapped", machine::CycleKind::kIdle, 30}}),
            "unmapped 30%");
  EXPECT_EQ(main_cause({{"fired", machine::CycleKind::kIssued, 60}}), "–");
}

}  // namespace
}  // namespace raddle::report
