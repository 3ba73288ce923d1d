#include "report/text/brief_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/timed_result.h"

namespace raddle::report {
namespace {

using experiment::RunResult;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

RunResult run_of(const std::string& program, const std::string& machine, double seconds) {
  RunResult result = timed_result();
  result.program = program;
  result.machine = machine;
  result.totals.seconds = seconds;
  return result;
}

TEST(BriefComparison, PutsMachinesInRowsAndProgramsInColumns) {
  const std::string text = brief_comparison(
      {run_of("scan", "slow", 4e-6), run_of("scan", "fast", 1e-6), run_of("sort", "slow", 2e-6)},
      {});
  EXPECT_THAT(text, ContainsRegex("simulated time +scan +sort\n"));
  EXPECT_THAT(text, ContainsRegex("slow +4.00 µs +2.00 µs\n"));
  EXPECT_THAT(text, ContainsRegex("fast +1.00 µs +–\n"));
}

TEST(BriefComparison, SaysWhichMachineIsFastestByHowMuchAndWhatHoldsItUp) {
  RunResult slow = run_of("scan", "slow", 4e-6);
  for (machine::Share& share : slow.totals.energy) share.value /= 2;
  const std::string text = brief_comparison({slow, run_of("scan", "fast", 1e-6)}, {});
  EXPECT_THAT(text, ContainsRegex("scan  fast, 4.0× as fast as slow with 2.0× its energy: [0-9]+% "
                                  "of issue slots stall"));
}

TEST(BriefComparison, DoesNotRankRunsThatWereStopped) {
  RunResult stopped = run_of("scan", "stopped", 1e-6);
  stopped.partial = true;
  const std::string text = brief_comparison({stopped, run_of("scan", "whole", 4e-6)}, {});
  EXPECT_THAT(text, HasSubstr("1.00 µs (partial)"));
  EXPECT_THAT(text, HasSubstr("scan  whole: "));
}

TEST(BriefComparison, DoesNotCompareEnergiesOfDifferentCoefficients) {
  RunResult other = run_of("scan", "other", 4e-6);
  other.totals.energy_set = "card";
  const std::string text = brief_comparison({other, run_of("scan", "fast", 1e-6)}, {});
  EXPECT_THAT(text, Not(HasSubstr("energy")));
}

}  // namespace
}  // namespace raddle::report
