#include "cli/sweep_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/sweep_runner.h"

namespace raddle::cli {
namespace {

TEST(TimeEstimate, SaysNothingBeforeTheFirstRunHasEnded) {
  TimeEstimate estimate;
  estimate.add_waiting("matmul");
  EXPECT_EQ(estimate.seconds_left(1, 5), std::nullopt);
}

TEST(TimeEstimate, CountsWhatRunsOfTheSameProgramTook) {
  TimeEstimate estimate;
  for (int i = 0; i < 3; ++i) estimate.add_waiting("slow");
  for (int i = 0; i < 5; ++i) estimate.add_waiting("quick");
  estimate.ended("slow", 10);
  EXPECT_EQ(estimate.seconds_left(1, 0), 2 * 10 + 5 * 10) << "nothing else is known yet";
  estimate.ended("quick", 1);
  EXPECT_EQ(estimate.seconds_left(1, 0), 2 * 10 + 4 * 1);
  EXPECT_EQ(estimate.seconds_left(4, 0), (2 * 10 + 4 * 1) / 4.0);
  EXPECT_EQ(estimate.seconds_left(4, 8), (2 * 10 + 4 * 1 - 8) / 4.0);
  EXPECT_EQ(estimate.seconds_left(4, 1000), 0) << "never less than nothing";
}

std::string captured(bool terminal) {
  testing::internal::CaptureStderr();
  SweepProgress progress(2, terminal);
  progress.add_waiting("matmul");
  progress.add_waiting("matmul");
  progress.add_waiting("matmul");
  progress.begin(12, 4);
  progress.started("matmul n=64");
  progress.show(1, 0);
  progress.ended("matmul n=64", "matmul", 30, true, "1,000 cycles");
  progress.ended("matmul n=65", "matmul", 10, false, "exit status 2");
  progress.show(1, 0);
  progress.clear();
  return testing::internal::GetCapturedStderr();
}

TEST(SweepProgress, WritesALineForEachRunWhereThereIsNoTerminal) {
  EXPECT_EQ(captured(false),
            "4 of 12 runs are already done\n"
            "[ 5/12] matmul n=64: 1,000 cycles, 30.0 s\n"
            "[ 6/12] matmul n=65: FAILED: exit status 2, 10.0 s\n");
}

TEST(SweepProgress, RewritesOneLineOnATerminal) {
  const std::string erase = "\r\x1b[K";
  EXPECT_EQ(captured(true),
            "4 of 12 runs are already done\n" + erase + "4 of 12 runs, 1 running: matmul n=64" +
                erase + "[ 6/12] matmul n=65: FAILED: exit status 2, 10.0 s\n" + erase +
                "6 of 12 runs, 1 running, 1 failed, 10 s left: matmul n=64" + erase);
}

TEST(FailureReason, NamesTheLineThatSaysMost) {
  EXPECT_EQ(failure_reason(2, "starting\nN must be a multiple of 16\n\n"),
            "exit status 2: N must be a multiple of 16");
  EXPECT_EQ(failure_reason(1, "raddle: x.cu: no such thing\nhint: try y\n"),
            "exit status 1: x.cu: no such thing");
  // What the program says of itself tells more than that no result was written.
  EXPECT_EQ(failure_reason(2,
                           "matmul: K must be from 16 to 16384, not 1\nusage: matmul [N] [K]\n"
                           "raddle: matmul: the program ended with status 2 before its first CUDA "
                           "call; no result was written\n"),
            "exit status 2: matmul: K must be from 16 to 16384, not 1");
  EXPECT_EQ(failure_reason(2, "raddle: x.cu: it ended; no result was written\n"),
            "exit status 2: x.cu: it ended; no result was written");
  EXPECT_EQ(failure_reason(3, ""), "exit status 3");
  EXPECT_EQ(failure_reason(139, "whatever"), "terminated by SIGSEGV (Segmentation fault)");
}

}  // namespace
}  // namespace raddle::cli
