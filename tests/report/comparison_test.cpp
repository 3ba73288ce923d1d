#include "report/text/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text_table.h"
#include "experiment/sample_result.h"
#include "report/timed_result.h"

namespace raddle::report {
namespace {

using experiment::RunResult;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

TEST(Comparison, PutsMachinesInColumnsWithRatiosToTheFirst) {
  RunResult slow = experiment::sample_result();
  slow.partial = false;
  RunResult fast = slow;
  fast.machine = "fast";
  fast.totals.cycles = 250;
  fast.totals.memory.clear();
  const std::string text = comparison_table({slow, fast}, {});
  EXPECT_THAT(text, HasSubstr("scale.cu --size 1 000\n"));
  EXPECT_THAT(text, testing::ContainsRegex("cycles +1,000 +250 +0\\.25×"));
  EXPECT_THAT(text, testing::ContainsRegex("global segments +132 +– +–"));
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100u) << line;
}

TEST(Comparison, NamesProgramsWhereTheyDiffer) {
  RunResult one = experiment::sample_result();
  RunResult two = one;
  two.program = "other.cu";
  const std::string text = comparison_table({one, two}, {});
  EXPECT_THAT(text, HasSubstr("scale.cu on ref (partial)"));
  EXPECT_THAT(text, HasSubstr("other.cu on ref (partial)"));
}

TEST(Comparison, TellsRunsOfOneMachineWithOtherParametersApart) {
  RunResult one = timed_result();
  RunResult two = one;
  two.parameters_hash = "another";
  for (auto& parameter : two.parameters) parameter.overridden = false;
  const std::string text = comparison_table({one, two}, {});
  EXPECT_THAT(lines_of(text)[1], HasSubstr("fermi (multiprocessors=16)"));
}

TEST(Comparison, SaysWhatSlotsWereSpentOnAndHowBusyUnitsWere) {
  RunResult one = timed_result();
  RunResult two = one;
  two.totals.stalls.clear();
  two.totals.utilisation.clear();
  const std::string text = comparison_table({one, two}, {});
  EXPECT_THAT(text, testing::ContainsRegex("issued +39\\.[0-9] % +– +–"));
  EXPECT_THAT(text, testing::ContainsRegex("stall: DRAM +[0-9.]+ % +– +–"));
  EXPECT_THAT(text, testing::ContainsRegex("DRAM busy +83\\.[0-9] % +– +–"));
}

TEST(Comparison, DoesNotSpeakOfWarpsWhereThereAreNone) {
  RunResult gpu = timed_result();
  RunResult fabric = timed_result();
  fabric.machine = "fabric";
  fabric.totals.warp_instructions = 0;
  fabric.totals.stalls = {{"fired", machine::CycleKind::kIssued, 300},
                          {"DRAM", machine::CycleKind::kStall, 100},
                          {"unmapped", machine::CycleKind::kIdle, 600}};
  const std::string both = comparison_table({gpu, fabric}, {});
  EXPECT_THAT(both, testing::ContainsRegex("warp instructions +[0-9,]+ +– +–"));
  EXPECT_THAT(both, testing::ContainsRegex("divergent branches +[0-9,]+ +– +–"));
  EXPECT_THAT(both, testing::ContainsRegex("issued +[0-9.]+ % +30\\.0 %"));
  EXPECT_THAT(both, testing::ContainsRegex("stall: DRAM +[0-9.]+ % +10\\.0 %"));
  EXPECT_THAT(both, testing::ContainsRegex("idle: unmapped +– +60\\.0 %"));
  const std::string alone = comparison_table({fabric}, {});
  EXPECT_THAT(alone, testing::ContainsRegex("issued +30\\.0 %"));
  EXPECT_THAT(alone, testing::Not(HasSubstr("warp")));
}

TEST(Comparison, PutsBelowWhatHasNoRoomBesideTheFirst) {
  std::vector<RunResult> results(7, experiment::sample_result());
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].machine = "machine" + std::to_string(i);
    results[i].totals.cycles = 1000 * (i + 1);
  }
  const std::string text = comparison_table(results, {});
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100u) << line;
  EXPECT_THAT(text, testing::Not(HasSubstr("…")));
  std::size_t first = 0;
  for (const std::string& line : lines_of(text))
    first += line.find("machine0") != line.npos ? 1 : 0;
  EXPECT_GT(first, 1u);
  for (const char* ratio : {"2.00×", "3.00×", "4.00×", "5.00×", "6.00×", "7.00×"})
    EXPECT_THAT(text, HasSubstr(ratio));
}

TEST(Comparison, ComparesEachProgramWithItsOwnFirst) {
  RunResult one = experiment::sample_result();
  RunResult fast = one;
  fast.machine = "fast";
  RunResult other = one;
  other.program = "other.cu";
  const auto groups = comparison_groups({one, other, fast});
  ASSERT_EQ(groups.size(), 2u);
  ASSERT_EQ(groups[0].size(), 2u);
  EXPECT_EQ(groups[0][1].machine, "fast");
  EXPECT_EQ(groups[1][0].program, "other.cu");
  // Two programs, one result each: the user wants these two compared.
  EXPECT_EQ(comparison_groups({one, other}).size(), 1u);
}

TEST(Comparison, LeavesTheHostComputerOut) {
  RunResult one = experiment::sample_result();
  RunResult two = one;
  two.host.wall_seconds = 1234;
  EXPECT_EQ(comparison_table({one, one}, {}), comparison_table({one, two}, {}));
}

TEST(Comparison, GivesOneRowAProgramInTheOverview) {
  RunResult one = experiment::sample_result();
  RunResult fast = one;
  fast.machine = "fast";
  fast.totals.cycles = 500;
  RunResult two = one;
  two.program = "other.cu";
  const std::string text = overview_table({{one, fast}, {two}, {}});
  EXPECT_THAT(text, testing::ContainsRegex("scale.cu +1 +24,000 +1,000 +24.00 +500 +0.50×"));
  EXPECT_THAT(text, testing::ContainsRegex("other.cu +1 +24,000 +1,000 +24.00 +– +–"));
}

TEST(Comparison, KeepsTheOverviewOfManyMachinesWithinTheScreen) {
  std::vector<RunResult> runs(6, experiment::sample_result());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].machine = fmt::format("machine-{}", i);
  int tables = 0;
  for (const std::string& line : lines_of(overview_table({runs, runs}))) {
    EXPECT_LE(display_width(line), 100U) << line;
    tables += line.starts_with("program") ? 1 : 0;
    EXPECT_EQ(line.find("…"), std::string::npos) << "nothing is cut off";
  }
  EXPECT_GT(tables, 1);
}

TEST(Comparison, SplitsEnergyByPart) {
  RunResult gpu = timed_result();
  RunResult fabric = timed_result();
  fabric.machine = "fabric";
  fabric.totals.energy = {{"DRAM", 2e6}, {"static: L2", 3e6}, {"static: SIMD", 4e6}};
  const std::string text = comparison_table({gpu, fabric}, {});
  EXPECT_THAT(text, testing::ContainsRegex("energy: DRAM \\(circuit\\) +17\\.7 µJ +2\\.00 µJ"));
  EXPECT_THAT(text, testing::ContainsRegex("energy: static power \\(circuit\\) +– +7\\.00 µJ"));
  EXPECT_THAT(text,
              testing::ContainsRegex("energy: register files \\(circuit\\) +7\\.30 µJ +– +–"));
}

TEST(Comparison, NeverPutsTwoEnergySetsIntoOneRow) {
  RunResult circuit = timed_result();
  RunResult card = circuit;
  card.machine = "gtx480";
  card.totals.energy_set = "card";
  const std::string text = comparison_table({circuit, card}, {});
  EXPECT_THAT(text, testing::ContainsRegex("energy \\(circuit\\) +46\\.8 µJ +– +–"));
  EXPECT_THAT(text, testing::ContainsRegex("energy \\(card\\) +– +46\\.8 µJ +–"));
}

TEST(Comparison, GivesCachesTheirHitRate) {
  RunResult one = timed_result();
  RunResult two = one;
  two.totals.memory[2].hits = two.totals.memory[2].misses;
  EXPECT_THAT(comparison_table({one, two}, {}),
              testing::ContainsRegex("L1 hit rate +62\\.5 % +50\\.0 % +0\\.80×"));
}

}  // namespace
}  // namespace raddle::report
